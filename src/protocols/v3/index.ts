// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onBurn,
  onCollect,
  onCollectProtocol,
  onDecreaseLiquidity,
  onFeeAmountEnabled,
  onFlash,
  onIncreaseLiquidity,
  onInitialize,
  onMint,
  onPoolCreated,
  onProtocolFeesEarned,
  onSetFeeProtocol,
  onSwap,
  onTokenCollect,
  onTokenTransfer,
} from "./handlers.ts";

on("V3Factory:PoolCreated", onPoolCreated);
on("V3Factory:FeeAmountEnabled", onFeeAmountEnabled);

on("V3Pool:Initialize", onInitialize);
on("V3Pool:Swap", onSwap);
on("V3Pool:Mint", onMint);
on("V3Pool:Burn", onBurn);
on("V3Pool:Collect", onCollect);
on("V3Pool:Flash", onFlash);
on("V3Pool:CollectProtocol", onCollectProtocol);
on("V3Pool:ProtocolFeesEarned", onProtocolFeesEarned);
on(
  "V3Pool:SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)",
  onSetFeeProtocol,
);
on(
  "V3Pool:SetFeeProtocol(uint32 feeProtocol0Old, uint32 feeProtocol1Old, uint32 feeProtocol0New, uint32 feeProtocol1New)",
  onSetFeeProtocol,
);

on("V3PositionManager:Transfer", onTokenTransfer);
on("V3PositionManager:IncreaseLiquidity", onIncreaseLiquidity);
on("V3PositionManager:DecreaseLiquidity", onDecreaseLiquidity);
on("V3PositionManager:Collect", onTokenCollect);

on("V3Factory:OwnerChanged", recordAs("OwnerChanged"));
on("V3Pool:IncreaseObservationCardinalityNext", recordAs("IncreaseObservationCardinalityNext"));
