// Which event goes to which handler, where the chain has the source of the event.
import { ponder } from "ponder:registry";
import config from "../ponder.config.ts";
import { SharedLogs } from "./shared-logs.ts";

const sharedLogs = new SharedLogs();

/** As `ponder.on`, which refuses names of sources that are not configured. */
export const on: typeof ponder.on = (name, handler) => {
  const [source = ""] = name.split(":");
  if (source in config.contracts) ponder.on(name, handler);
};

/** Events of contracts that may be of several sources, in one table: of each log the first source writes the fact. */
type Shared =
  | `${"Erc20" | "PairShare" | "IslandShare" | "BaultShare" | "VaultShare" | "LaunchedToken"}:Transfer`
  | `${"Bault" | "Erc4626Vault" | "QueuedVault"}:${"Deposit" | "Withdraw"}`
  | `${"InfraredVault" | "StakingVault"}:${"Staked" | "Withdrawn"}`;

/** As {@link on}. */
export function onShared<Name extends Shared>(name: Name, handler: Parameters<typeof ponder.on<Name>>[1]): void {
  on(name, (args) => (sharedLogs.isWritten(args.event, name) ? undefined : handler(args)));
}
