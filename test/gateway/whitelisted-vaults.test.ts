// Which reward vaults may receive emissions: read on from what is stored of final blocks, whatever else is among those events.
import { expect, it } from "vitest";
import { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { readWhitelisted } from "../../gateway/catalogue/emissions.ts";
import type { Snapshot } from "../../gateway/database/snapshot.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";

const [CHEF, FACTORY, ONE, OTHER] = [1, 2, 3, 4].map(accountOf) as [string, string, string, string];
const SAID = [
  { block: 5, vault: ONE, is_listed: true },
  { block: 200, vault: ONE, is_listed: false },
  { block: 290, vault: OTHER, is_listed: true },
  { block: 301, vault: ONE, is_listed: true },
];

it("are read for a new block from the last final ones on, not from the first block", async () => {
  const reads: string[] = [];
  const prepared = async (_: string, [, after = "", upTo = ""]: string[]) => {
    reads.push(`${after} ${upTo}`);
    const newest = new Map(
      SAID.flatMap((one) => (one.block > Number(after) && one.block <= Number(upTo) ? [[one.vault, one]] : [])),
    );
    return [...newest.values()];
  };
  const cache = new AnswerCache().for({ index: "index", isOpen: false });
  const scope = { fold: "fold", state: {}, prepared };
  const withFacts = (read: (facts: typeof scope) => unknown) => read(scope);
  const snapshot = { cache, state: { finalized: 299 }, withFacts } as unknown as Snapshot;
  const place = { address: FACTORY, startBlock: 0 };
  const beraChef = { address: CHEF, startBlock: 0 };
  const rewardVaults = { factory: place, distributor: null, beraChef, rewardToken: null };
  const chain = chainFixture({ chainId: 31337, startBlock: 0, rewardVaults });
  expect(await readWhitelisted(snapshot, chain, 199)).toEqual(new Set([ONE]));
  expect(await readWhitelisted(snapshot, chain, 300)).toEqual(new Set([OTHER]));
  expect(await readWhitelisted(snapshot, chain, 301)).toEqual(new Set([OTHER, ONE]));
  expect(reads).toEqual(["-1 127", "127 199", "127 255", "255 300", "255 301"]);
});
