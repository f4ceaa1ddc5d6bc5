// What the ledgers say of one account is stored until a block changes it. So it is in the ledger of supplies, whose accounts are
// tokens: that ledger is one asset, and no block is recorded as changing the asset as a whole.
import { describe, expect, it } from "vitest";
import { EVERY } from "../../core/ledgers/listing.ts";
import { LedgerAt } from "../../gateway/backing/ledger-at.ts";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { type ChangeRow, changing, RecentChanges } from "../../gateway/database/recent-changes.ts";
import type { AsOf } from "../../gateway/history/as-of.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [FIRST, CHANGED, HEAD] = [100, 102, 104];
const [TOKEN, OTHER] = [tokenOf(1), tokenOf(2)];
const supplyOf = (account: string) => ({ kind: "supply", key: EVERY, account });
const walletIn = (key: string) => ({ kind: "erc20", key, account: accountOf(1) });

/** Followed from FIRST to HEAD; CHANGED did `things`. */
function follow(things: readonly string[]): RecentChanges {
  const at = { head: HEAD, finalized: FIRST };
  const changes = new RecentChanges({ block: FIRST, hash: `0x${FIRST}`, finalized: FIRST });
  const blocks = Array.from({ length: HEAD - FIRST + 1 }, (_, i): ChangeRow => {
    return { ...at, block: FIRST + i, hash: `0x${FIRST + i}`, thing: null };
  });
  const changed = things.map((thing): ChangeRow => ({ ...at, block: CHANGED, hash: null, thing }));
  expect(changes.follow([...blocks, ...changed])).toBe(true);
  return changes;
}

/** Ledgers that have, of everything, as much as the block's number says; `reads` has the blocks that were read. */
function ledgers(things: readonly string[]) {
  const cache = new AnswerCache().for({ index: "an index", isOpen: true });
  const changes = follow(things);
  const reads: number[] = [];
  const at = (block: number) => {
    const prepared = async (_: string, parameters: string[]) => {
      reads.push(block);
      return (parameters[0] ?? "").split(",").map((_kind, i) => ({ place: i + 1, amount: String(block) }));
    };
    const point = {
      block,
      hash: `0x${block}`,
      timestamp: block,
      lastSynced: HEAD,
      head: HEAD,
      finalized: FIRST,
      changes,
    };
    return new LedgerAt({ fold: "fold", point, cache, revision: "1", prepared } as unknown as AsOf, { cache });
  };
  return { at, reads };
}

describe("what one account has of an asset", () => {
  it("is read again after a block that changed the token's supply, and not before", async () => {
    const { at, reads } = ledgers([changing.supply(TOKEN)]);
    const said = [];
    for (const block of [101, 103, 104]) said.push(await at(block).amounts([supplyOf(TOKEN)]));
    expect(said).toEqual([[101n], [103n], [103n]]);
    expect(reads).toEqual([101, 103]);
  });

  it("is the same as before where only another token's supply has changed", async () => {
    const { at, reads } = ledgers([changing.supply(OTHER)]);
    for (const block of [101, 104]) expect(await at(block).amounts([supplyOf(TOKEN)])).toEqual([101n]);
    expect(reads).toEqual([101]);
  });

  it("is read again after a block that moved any of the asset", async () => {
    const { at } = ledgers([changing.asset(walletIn(TOKEN))]);
    const said = [];
    for (const block of [101, 104]) said.push(await at(block).amounts([walletIn(TOKEN), walletIn(OTHER)]));
    expect(said).toEqual([
      [101n, 101n],
      [104n, 101n],
    ]);
  });
});
