// Accounts of the seeded devnet take out everything they have, for real, on a copy of the chain: what arrives is what was
// answered, wei for wei but for what the contracts round. EXIT_ACCOUNTS=40 takes more of them.
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differenceOf, type ExitComparison, isWithin } from "../../verify/exit/compare-exit.ts";
import { compareExits, type ExitCheck, openExitCheck } from "../../verify/exit/exit-account.ts";
import { problemsOf, totalsOf } from "../../verify/exit/exit-report.ts";
import { pickAccounts, readCandidates } from "../../verify/exit/pick-accounts.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const ACCOUNTS = Number(process.env.EXIT_ACCOUNTS ?? 6);

let gateway: TestGateway;
let check: ExitCheck;

beforeAll(async () => {
  gateway = openSeededGateway();
  check = await openExitCheck(gateway.service, { chain: seededChain(), rpcUrl: seeded.rpcUrl, head: seeded.head });
});
afterAll(() => gateway?.close());

describe("accounts of the seeded devnet", () => {
  test(
    "take out what was answered for them, whatever they hold it through",
    async () => {
      const [early, late] = [Math.floor(seeded.finalized * 0.8), seeded.head - 5];
      const candidates = [...(await readCandidates(check, early)), ...(await readCandidates(check, late))];
      const picked = pickAccounts(candidates, ACCOUNTS, seededRandom("exit"));
      const comparisons: ExitComparison[] = [];
      for (const block of [early, late]) {
        const accounts = picked.filter((one) => one.block === block).map(({ account }): Address => account);
        comparisons.push(...(await compareExits(check, { accounts, block })));
      }
      for (const line of totalsOf(comparisons, check.announced)) console.log(line);
      const lines = comparisons.flatMap((one) => one.lines);
      expect(comparisons.flatMap((one) => (one.stranded.length > 0 ? problemsOf(one, check.announced) : []))).toEqual(
        [],
      );
      expect(lines.filter((line) => !isWithin(line)).map((line) => ({ ...line, off: differenceOf(line) }))).toEqual([]);
      expect(new Set(comparisons.map(({ account }) => account)).size).toBe(ACCOUNTS);
      const kinds = new Set(comparisons.flatMap((one) => one.kinds));
      for (const kind of [
        ...["v2-pool", "island", "bault", "farm", "infrared", "reward_vault", "delegated reward_vault"],
        ...["erc4626", "erc4626-queued", "queued erc4626-queued", "token id", "direct position"],
      ])
        expect(kinds, kind).toContain(kind);
      // farm → bault → reward vault → island → pool
      expect(Math.max(...lines.map(({ contracts }) => contracts))).toBeGreaterThanOrEqual(5);
    },
    60_000 + ACCOUNTS * 30_000,
  );
});
