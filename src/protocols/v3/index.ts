// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
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

ponder.on("V3Factory:PoolCreated", onPoolCreated);
ponder.on("V3Factory:FeeAmountEnabled", onFeeAmountEnabled);

ponder.on("V3Pool:Initialize", onInitialize);
ponder.on("V3Pool:Swap", onSwap);
ponder.on("V3Pool:Mint", onMint);
ponder.on("V3Pool:Burn", onBurn);
ponder.on("V3Pool:Collect", onCollect);
ponder.on("V3Pool:Flash", onFlash);
ponder.on("V3Pool:CollectProtocol", onCollectProtocol);
ponder.on("V3Pool:ProtocolFeesEarned", onProtocolFeesEarned);
ponder.on(
  "V3Pool:SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)",
  onSetFeeProtocol,
);
ponder.on(
  "V3Pool:SetFeeProtocol(uint32 feeProtocol0Old, uint32 feeProtocol1Old, uint32 feeProtocol0New, uint32 feeProtocol1New)",
  onSetFeeProtocol,
);

ponder.on("V3PositionManager:Transfer", onTokenTransfer);
ponder.on("V3PositionManager:IncreaseLiquidity", onIncreaseLiquidity);
ponder.on("V3PositionManager:DecreaseLiquidity", onDecreaseLiquidity);
ponder.on("V3PositionManager:Collect", onTokenCollect);

ponder.on("V3Factory:OwnerChanged", recordAs("OwnerChanged"));
ponder.on("V3Pool:IncreaseObservationCardinalityNext", recordAs("IncreaseObservationCardinalityNext"));
