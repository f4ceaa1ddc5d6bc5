// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
import { recordAs } from "../../other-event.ts";
import { onDeployed, onGraduated, onInitialized, onSwap, onSync } from "./handlers.ts";

ponder.on("LaunchFactory:PandaDeployed", onDeployed);

ponder.on("LaunchPool:PoolInitialized", onInitialized);
ponder.on("LaunchPool:LiquidityMoved", onGraduated);
ponder.on("LaunchPool:Swap", onSwap);
ponder.on("LaunchPool:Sync", onSync);

ponder.on("LaunchFactory:IncentiveSet", recordAs("IncentiveSet"));
ponder.on("LaunchFactory:IncentiveClaimed", recordAs("IncentiveClaimed"));
ponder.on("LaunchFactory:FactorySet", recordAs("FactorySet"));
ponder.on("LaunchFactory:WberaSet", recordAs("WberaSet"));
ponder.on("LaunchFactory:TreasurySet", recordAs("TreasurySet"));
ponder.on("LaunchFactory:PandaPoolFeesSet", recordAs("PandaPoolFeesSet"));
ponder.on("LaunchFactory:MinRaiseSet", recordAs("MinRaiseSet"));
ponder.on("LaunchFactory:MinTradeSizeSet", recordAs("MinTradeSizeSet"));
ponder.on("LaunchFactory:AllowedImplementationSet", recordAs("AllowedImplementationSet"));
ponder.on("LaunchPool:TokensClaimed", recordAs("TokensClaimed"));
ponder.on("LaunchPool:ExcessCollected", recordAs("ExcessCollected"));
