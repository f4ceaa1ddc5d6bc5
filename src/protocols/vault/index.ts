// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
import { recordAs } from "../../other-event.ts";
import {
  onBaultDeployed,
  onCompounded,
  onDeposit,
  onExitFeePaid,
  onListedDeposit,
  onListedStaked,
  onListedWithdraw,
  onListedWithdrawn,
  onNewVault,
  onRewardAdded,
  onRewardPaid,
  onStaked,
  onWithdraw,
  onWithdrawn,
} from "./handlers.ts";

ponder.on("BaultFactory:BaultDeployed", onBaultDeployed);

ponder.on("Bault:Deposit", onDeposit);
ponder.on("Bault:Withdraw", onWithdraw);
ponder.on("Bault:ExitFeePaid", onExitFeePaid);
ponder.on("Bault:BgtClaimed", onCompounded);
ponder.on("Bault:BgtWrapperClaimed", onCompounded);

ponder.on("Infrared:NewVault", onNewVault);

ponder.on("InfraredVault:Staked", onStaked);
ponder.on("InfraredVault:Withdrawn", onWithdrawn);
ponder.on("InfraredVault:RewardAdded", onRewardAdded);
ponder.on("InfraredVault:RewardPaid", onRewardPaid);

ponder.on("Erc4626Vault:Deposit", onListedDeposit);
ponder.on("Erc4626Vault:Withdraw", onListedWithdraw);

ponder.on("StakingVault:Staked", onListedStaked);
ponder.on("StakingVault:Withdrawn", onListedWithdrawn);

ponder.on("Bault:ExitFeeBpsUpdated", recordAs("ExitFeeBpsUpdated"));
ponder.on("Bault:BountyUpdated", recordAs("BountyUpdated"));
ponder.on("Bault:CompoundFeeBpsUpdated", recordAs("CompoundFeeBpsUpdated"));
ponder.on("Bault:AllowedBgtWrapperUpdated", recordAs("AllowedBgtWrapperUpdated"));
ponder.on("Bault:Paused", recordAs("Paused"));
ponder.on("Bault:Unpaused", recordAs("Unpaused"));
ponder.on("InfraredVault:RewardStored", recordAs("RewardStored"));
ponder.on("InfraredVault:RewardsDurationUpdated", recordAs("RewardsDurationUpdated"));
