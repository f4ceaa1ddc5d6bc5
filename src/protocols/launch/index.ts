// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { recordAs } from "../../other-event.ts";
import { onDeployed, onGraduated, onInitialized, onSwap, onSync } from "./handlers.ts";

on("LaunchFactory:PandaDeployed", onDeployed);

on("LaunchPool:PoolInitialized", onInitialized);
on("LaunchPool:LiquidityMoved", onGraduated);
on("LaunchPool:Swap", onSwap);
on("LaunchPool:Sync", onSync);

on("LaunchFactory:IncentiveSet", recordAs("IncentiveSet"));
on("LaunchFactory:IncentiveClaimed", recordAs("IncentiveClaimed"));
on("LaunchFactory:FactorySet", recordAs("FactorySet"));
on("LaunchFactory:WberaSet", recordAs("WberaSet"));
on("LaunchFactory:TreasurySet", recordAs("TreasurySet"));
on("LaunchFactory:PandaPoolFeesSet", recordAs("PandaPoolFeesSet"));
on("LaunchFactory:MinRaiseSet", recordAs("MinRaiseSet"));
on("LaunchFactory:MinTradeSizeSet", recordAs("MinTradeSizeSet"));
on("LaunchFactory:AllowedImplementationSet", recordAs("AllowedImplementationSet"));
on("LaunchPool:TokensClaimed", recordAs("TokensClaimed"));
on("LaunchPool:ExcessCollected", recordAs("ExcessCollected"));
