// For whom an island holds what it holds.
import type { Backing } from "../../../core/lookthrough/backing.ts";
import { tokenAsset } from "../../backing/protocol.ts";
import type { Address } from "../../parameters.ts";
import type { IncompleteReason } from "./island.ts";

/** Nobody can say whose it is. */
export const nobodys = (remainder: IncompleteReason): Backing => ({ claims: [], reserves: [], remainder });

/** The holders' amount and the manager's. What is less than the manager's own balance is all owed to the manager. */
export const dividedBy = (island: Address, { held, managers }: { held: bigint; managers: bigint }): Backing => ({
  claims: [{ asset: tokenAsset(island), amount: held > managers ? held - managers : 0n }],
  reserves: [{ reason: "manager-fee", amount: managers }],
});
