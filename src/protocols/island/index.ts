// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
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

ponder.on("IslandFactory:IslandCreated", onIslandCreated);

ponder.on("Island:Minted", onMinted);
ponder.on("Island:Burned", onBurned);
ponder.on("Island:FeesEarned", onFeesEarned);
ponder.on("Island:Rebalance", onRebalance);
ponder.on("Island:UpdateManagerParams", onManagerParams);
ponder.on("Island:OwnershipTransferred", onOwner);

ponder.on("IslandFactory:UpdateIslandImplementation", recordAs("UpdateIslandImplementation"));
ponder.on("IslandFactory:TreasurySet", recordAs("TreasurySet"));
ponder.on("IslandFactory:IslandFeeSet", recordAs("IslandFeeSet"));
ponder.on("Island:PauserSet", recordAs("PauserSet"));
ponder.on("Island:RestrictedMintSet", recordAs("RestrictedMintSet"));
ponder.on("Island:RouterSet", recordAs("RouterSet"));
ponder.on("Island:Paused", recordAs("Paused"));
ponder.on("Island:Unpaused", recordAs("Unpaused"));
