// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import {
  onBurned,
  onFeesEarned,
  onIslandCreated,
  onManagerParams,
  onMinted,
  onOwner,
  onRebalance,
} from "./handlers.ts";

on("IslandFactory:IslandCreated", onIslandCreated);

on("Island:Minted", onMinted);
on("Island:Burned", onBurned);
on("Island:FeesEarned", onFeesEarned);
on("Island:Rebalance", onRebalance);
on("Island:UpdateManagerParams", onManagerParams);
on("Island:OwnershipTransferred", onOwner);

on("IslandFactory:UpdateIslandImplementation", recordAs("UpdateIslandImplementation"));
on("IslandFactory:TreasurySet", recordAs("TreasurySet"));
on("IslandFactory:IslandFeeSet", recordAs("IslandFeeSet"));
on("Island:PauserSet", recordAs("PauserSet"));
on("Island:RestrictedMintSet", recordAs("RestrictedMintSet"));
on("Island:RouterSet", recordAs("RouterSet"));
on("Island:Paused", recordAs("Paused"));
on("Island:Unpaused", recordAs("Unpaused"));
