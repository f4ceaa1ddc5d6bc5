// The page of a pool on the seeded chain, of every kind: what it shows is what the API answers and the contract says.
import { type Address, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Examples, seededExamples } from "./examples.ts";
import { missing, type OpenedPages, openPages, root } from "./opened-pages.ts";
import { seeded, seededClient } from "./seeded-index.ts";

const BLOCK = 1_200;
const client = seededClient();

let opened: OpenedPages;
let examples: Examples;
let markets: Record<"v2" | "v3" | "curve", Market>;

interface Day {
  start: number;
  trades: number;
  volumeUSD: string | null;
  tvlUSD: string | null;
  close: number | null;
}

interface Market {
  address: Address;
  protocol: "v2" | "v3" | "curve";
  token0: Address;
  token1: Address;
  token0Detail: { decimals: number };
  token1Detail: { decimals: number };
  series: Day[];
}

beforeAll(async () => {
  opened = openPages();
  examples = await seededExamples();
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(BLOCK) });
  const series = `series(interval: day, from: ${Number(timestamp) - 13 * 86_400}, to: ${timestamp}) { start trades volumeUSD tvlUSD close }`;
  const details = "address protocol token0 token1 token0Detail { decimals } token1Detail { decimals }";
  const { facts } = await opened.ask<{ facts: { markets: { nodes: Market[] } } }>(
    `{ facts(block: { number: ${BLOCK} }) { markets(first: 200) { nodes { ${details} ${series} } } } }`,
  );
  const tradesOf = ({ series: days }: Market) => days.reduce((sum, { trades }) => sum + trades, 0);
  const busiest = (protocol: Market["protocol"]) =>
    facts.markets.nodes.filter((one) => one.protocol === protocol).sort((a, b) => tradesOf(b) - tradesOf(a))[0]!;
  markets = { v2: busiest("v2"), v3: busiest("v3"), curve: busiest("curve") };
});
afterAll(() => opened?.close());

const pool = (address: string, block = BLOCK) => opened.open(`/pool/${address}?block=${block}`);

/** Whole token1 per whole token0, as the contract says at the block; a double. */
async function priceOf({ protocol, address, ...market }: Market): Promise<number> {
  const read = { address, blockNumber: BigInt(BLOCK) } as const;
  const scale = 10 ** (market.token0Detail.decimals - market.token1Detail.decimals);
  if (protocol === "v3") {
    const abi = parseAbi(["function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)"]);
    const [root96] = await client.readContract({ ...read, abi, functionName: "slot0" });
    return (Number(root96) / 2 ** 96) ** 2 * scale;
  }
  if (protocol === "v2") {
    const abi = parseAbi(["function getReserves() view returns (uint112, uint112, uint32)"]);
    const [reserve0, reserve1] = await client.readContract({ ...read, abi, functionName: "getReserves" });
    return (Number(reserve1) / Number(reserve0)) * scale;
  }
  const abi = parseAbi(["function getCurrentPrice() view returns (uint256)"]);
  return (Number(await client.readContract({ ...read, abi, functionName: "getCurrentPrice" })) / 1e36) * scale;
}

describe.each(["v3", "v2", "curve"] as const)("the page of a %s", (protocol) => {
  it("shows the price that its contract has", async () => {
    const { status, text } = await pool(markets[protocol].address);
    const shown = /<dt>Price<\/dt><dd>.*?value="([\d.]+)"/.exec(text)?.[1];
    expect(status).toBe(200);
    expect(Number(shown) / (await priceOf(markets[protocol]))).toBeCloseTo(1, 12);
  });

  it("shows the API's TVL, and its volume of every day on which something was traded", async () => {
    const { address, series } = markets[protocol];
    const { text } = await pool(address);
    const traded = series.filter(({ trades }) => trades > 0);
    expect(traded.length).toBeGreaterThan(2);
    expect(series.at(-1)!.tvlUSD).not.toBeNull();
    expect(missing(text, [series.at(-1)!.tvlUSD, ...traded.map(({ volumeUSD }) => volumeUSD)])).toEqual([]);
  });

  it("names commands that answer", async () => {
    const { text } = await pool(markets[protocol].address);
    await opened.expectCommands(text, protocol === "curve" ? 1 : 2);
  });
});

describe("a pool's page", () => {
  it("draws liquidity, islands and positions for v3 pools, progress for curves, and nothing that a kind does not have", async () => {
    const [v3, v2, curve] = await Promise.all(
      [examples.pool, markets.v2.address, markets.curve.address].map(async (address) => (await pool(address!)).text),
    );
    for (const [words, where] of [
      ["<h2>Liquidity</h2>", [true, false, false]],
      ["<h2>Islands in it</h2>", [true, false, false]],
      ["<h2>Positions</h2>", [true, false, false]],
      ["Progress to graduation", [false, false, true]],
      [">the share</a>", [false, true, false]],
    ] as const)
      expect([words, [v3, v2, curve].map((text) => text!.includes(words))]).toEqual([words, where]);
    expect(v3).toMatch(/<path class="below" d="M[^"]+Z"/);
    expect(v3).toMatch(/href="[^"]*\/vault\/0x[0-9a-f]{40}/);
  });

  it("has as much liquidity under the price as the contract", async () => {
    const { text } = await pool(examples.pool);
    const abi = parseAbi(["function liquidity() view returns (uint128)"]);
    const liquidity = await client.readContract({
      ...{ address: examples.pool as Address, abi, functionName: "liquidity", blockNumber: BigInt(BLOCK) },
    });
    expect(missing(text, [String(liquidity)])).toEqual([]);
  });

  it("says where a curve that has graduated is traded", async () => {
    const { text } = await pool(examples.launched, seeded.head);
    expect(text).toMatch(/Graduated at block .*into the v2 pair/s);
  });

  it("answers 404 with what is there instead, and a way to it", async () => {
    const { status, text } = await pool(examples.token);
    expect([status, text.includes("There is no pool here")]).toEqual([404, true]);
    expect(text).toContain(`href="${root}/token/${examples.token}?block=${BLOCK}">its own page</a>`);
    const nobody = await pool("0x00000000000000000000000000000000000000aa");
    expect([nobody.status, nobody.text.includes("as an account")]).toEqual([404, true]);
  });
});
