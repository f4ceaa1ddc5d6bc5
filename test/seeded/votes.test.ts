// Votes for Snapshot and balances at many blocks, beside what /balances says of everybody at each block of the seeded devnet.
import { readFileSync } from "node:fs";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type SourceKind, sourceKinds } from "../../gateway/backing/held-as.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededDevnet, openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const { head, finalized } = seeded;
const BLOCKS = [Math.floor(finalized / 2), finalized, head];
let gateway: TestGateway;
/** Of 18 decimals, and of 6. */
let tokens: string[];
beforeAll(async () => {
  gateway = openSeededGateway();
  const { at } = await openSeededDevnet();
  tokens = [at.tokens.honey, at.tokens.usdc].map((token) => token.toLowerCase());
});
afterAll(() => gateway.close());

interface Holder {
  account: string;
  amount: string;
  sources: { source: SourceKind; amount: string }[];
}

async function holdersAt(token: string, block: number): Promise<Holder[]> {
  const { text } = await gateway.get(`/balances/${token}?blockNumber=${block}&format=ndjson`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Holder);
}

async function scoresOf(body: unknown): Promise<{ score: string; address: string }[]> {
  const answer = await gateway.app.request("/snapshot/score", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { score: { score: string; address: string }[] }).score;
}

const choices: (readonly SourceKind[] | undefined)[] = [
  undefined,
  ...sourceKinds.map((kind) => [kind]),
  ["balance", "v3-position"],
];

describe.each(BLOCKS)("at block %i", (snapshot) => {
  test("scores of all holders are what they hold in the sources that count", async () => {
    const network = String(seededChain().chainId);
    for (const token of tokens) {
      const holders = await holdersAt(token, snapshot);
      const { body } = await gateway.get(`/tokens?addresses=${token}&blockNumber=${snapshot}`);
      const { decimals } = (body as unknown as { decimals: number }[])[0] ?? { decimals: 0 };
      const addresses = holders.map(({ account }) => getAddress(account));
      let votesOfPositions = 0n;
      for (const sources of choices) {
        const expected = holders.map(({ account, sources: held }) => {
          const counted = held.filter(({ source }) => sources?.includes(source) ?? true);
          const score = counted.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
          if (sources?.length === 1 && sources[0] === "v3-position") votesOfPositions += score;
          return { score: String(score), address: getAddress(account) };
        });
        expect(await scoresOf({ options: { token, sources, decimals }, network, addresses, snapshot })).toEqual(
          expected,
        );
      }
      expect(votesOfPositions).toBeGreaterThan(0n);
    }
  });
});

test("balances at random blocks are in one answer what they are at each", async () => {
  const random = seedRandom("balances at blocks");
  const blocks = [...new Set([...Array.from({ length: 12 }, () => random.between(1, head)), head])].sort(
    (a, b) => a - b,
  );
  for (const token of tokens) {
    const { text } = await gateway.get(`/balances/${token}/at-blocks?blocks=${blocks}&format=ndjson`);
    const rows = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Holder & { block: number });
    const expected = await Promise.all(
      blocks.map(async (block) =>
        (await holdersAt(token, block)).map(({ account, amount }) => ({ block, account, amount })),
      ),
    );
    expect(rows.map(({ block, account, amount }) => ({ block, account, amount }))).toEqual(expected.flat());
    expect(rows.length).toBeGreaterThan(100);
  }
});

describe("the recipe of docs/querying.md", () => {
  const text = readFileSync(new URL("../../docs/querying.md", import.meta.url), "utf8");
  const jsonAfter = (mark: string, pattern: RegExp) => pattern.exec(text.slice(text.indexOf(mark)))?.[1] ?? "";

  test("posts what is answered as it shows, equal to the amounts it compares with", async () => {
    const [token = ""] = tokens;
    const block = Number(/"snapshot": (\d+)/.exec(text)?.[1]);
    const some = (await holdersAt(token, block)).slice(0, 2);
    const sent = some.reduce(
      (body, { account }) => body.replace("<address>", account),
      jsonAfter("/snapshot/score -H", /-d '([^']+)'/).replace("<token>", token),
    );
    expect(await scoresOf(JSON.parse(sent))).toEqual(
      some.map(({ amount, account }) => ({ score: amount, address: account })),
    );
    const shown = JSON.parse(jsonAfter('"snapshot": ', /(\{"score".+\})/)) as { score: object[] };
    expect(Object.keys(shown.score[0] ?? {})).toEqual(["score", "address"]);
  });

  test("gives a space a strategy whose options are taken", async () => {
    const [token = ""] = tokens;
    const strategy = JSON.parse(
      jsonAfter("give the space this strategy", /```json\n([\s\S]+?)```/).replace("0x…", token),
    );
    const holders = (await holdersAt(token, finalized)).slice(0, 300);
    const addresses = holders.map(({ account }) => getAddress(account));
    const body = { options: strategy.params, network: String(seededChain().chainId), snapshot: finalized, addresses };
    const counted = holders.map(({ sources }) =>
      sources.reduce(
        (sum, { source, amount }) => (strategy.params.sources.includes(source) ? sum + BigInt(amount) : sum),
        0n,
      ),
    );
    expect((await scoresOf(body)).map(({ score }) => BigInt(score))).toEqual(counted);
  });
});
