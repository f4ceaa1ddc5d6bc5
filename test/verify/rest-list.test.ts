// What `verify` finds where REST's list of balances is not the one that GraphQL gives.
import { expect, it } from "vitest";
import type { Source } from "../../gateway/balances/source.ts";
import { type ExactEntry, writtenOtherwise } from "../../verify/rest-list.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [ANNA, BEN] = [accountOf(1), accountOf(2)] as const;
const contract = tokenOf(9) as Source["contract"];
const source = (kind: Source["kind"], id: string, amount: bigint): Source => ({
  ...{ kind, id, amount, contract },
  ...{ principal: undefined, paths: [] },
});

const entries = [
  { account: ANNA, amount: 1_500n, sources: [source("balance", "", 1_000n), source("v3-position", "1917", 500n)] },
  { account: BEN, amount: 20n, sources: [source("external_vaults", "0xfa", 20n)] },
] as unknown as ExactEntry[];

const ANNAS =
  `{"account":"${ANNA}","total":1.5,"sources":[{"source":"balance","value":1},` +
  `{"source":"v3-position","value":0.5,"extraData":{"positionId":"1917"}}],"expanded":"balance: 1, v3-position: 0.5"}`;
const BENS = `{"account":"${BEN}","total":0.02,"sources":[{"source":"external_vaults","value":0.02}],"expanded":"external_vaults: 0.02"}`;

async function* written(...texts: string[]): AsyncGenerator<Uint8Array, undefined> {
  for (const text of texts) yield Buffer.from(`,${text}`);
  return undefined;
}
const found = (...texts: string[]) => writtenOtherwise({ pieces: written(...texts) }, { entries, decimals: 3 });

it("is nothing where every entry is the same, in whatever pieces they come", async () => {
  expect(await found(`${ANNAS},${BENS}`)).toBeUndefined();
  expect(await found(ANNAS, BENS)).toBeUndefined();
  expect(await writtenOtherwise({ pieces: written() }, { entries: [], decimals: 3 })).toBeUndefined();
});

it.each([
  ["has another total", [ANNAS, BENS.replace('"total":0.02', '"total":0.021')], "0.021"],
  ["has another value in a source", [ANNAS.replace('"value":0.5', '"value":0.4'), BENS], '"value":0.4'],
  ["names another position", [ANNAS.replace("1917", "1918"), BENS], "1918"],
  ["says otherwise in words", [ANNAS, BENS.replace("vaults: 0.02", "vaults: 0.03")], "0.03"],
  ["has another order", [BENS, ANNAS], BEN],
  ["leaves the last one out", [ANNAS], `${BEN}: left out`],
  ["has one more", [ANNAS, BENS, BENS], "no such entry"],
])("is the first entry where REST's list %s", async (_, texts, part) => {
  expect(await found(...texts)).toContain(part);
});
