// Lists of everything, walked by pages of every size, against the contracts and the chain's own logs: every pool, position,
// token, vault and other issuer there is at a block, each once, and nothing else.
import { type Address, encodePacked, getAbiItem, keccak256, type PublicClient, parseAbi, toEventHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postOne } from "../../devnet/json-rpc.ts";
import { type Read, readAll } from "../../verify/pool-contracts.ts";
import { addressesOf, type ChainLog, logsOf, rules } from "../facts/census.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Walk, walkInAllSizes } from "../support/walked-pages.ts";
import { openSeededGateway, seeded, seededChain, seededClient } from "./seeded-index.ts";

const chain = seededChain();
const { head, finalized, rpcUrl } = seeded;
/** Early, in the middle of a history, around the last final block, and the newest. */
const blocks = [...new Set([Math.floor(finalized / 6), Math.floor(finalized / 2), finalized, finalized + 1, head])];

let gateway: TestGateway;
let client: PublicClient;
let logs: ChainLog[];

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  logs = await postOne<ChainLog[]>(rpcUrl, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
});
afterAll(() => gateway.close());

const logsUpTo = (block: number): ChainLog[] => logs.filter(({ blockNumber }) => Number(blockNumber) <= block);
/** In order of their announcements. */
const announced = (kind: Parameters<typeof addressesOf>[0], block: number): string[] => [
  ...addressesOf(kind, chain, logsUpTo(block)),
];
const at = (block: number): string => `block: {number: ${block}}`;
const walk = <Node>(block: number, list: Omit<Walk, "pageSize" | "with">): Promise<Node[]> =>
  walkInAllSizes<Node>(gateway, { ...list, with: at(block) });

/** An address's first log of all that are a token's. */
function tokensInOrder(block: number): string[] {
  const ofTokens = rules.filter(({ table }) => /^(?:erc20_transfer|weth9_\w+)$/.test(table));
  const places = new Set(ofTokens.flatMap((rule) => logsOf(rule, chain, logsUpTo(block))));
  const placeOf = (log: ChainLog): string => `${Number(log.blockNumber)}/${Number(log.logIndex)}`;
  return [...new Set(logs.filter((log) => places.has(placeOf(log))).map(({ address }) => address))];
}

const positionAbi = parseAbi([
  "function totalSupply() view returns (uint256)",
  "function tokenByIndex(uint256) view returns (uint256)",
  "function ownerOf(uint256) view returns (address)",
  "function positions(uint256) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
]);
const poolAbi = parseAbi([
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "function positions(bytes32) view returns (uint128 liquidity, uint256, uint256, uint128, uint128)",
]);

/** `<pool or manager> <id or owner, range>` -> liquidity, of all that the contracts hold anything for. */
type Liquidities = Map<string, bigint>;

async function answersOf(reads: readonly Omit<Read, "args">[], block: number): Promise<unknown[][]> {
  return (await readAll(client, reads as Read[], block)).map((answer) => [...((answer ?? []) as unknown[])]);
}

async function tokenIds(manager: Address, block: number): Promise<Liquidities> {
  const code = await client.getCode({ address: manager, blockNumber: BigInt(block) });
  const found: Liquidities = new Map();
  if (code === undefined) return found;
  const call = { address: manager, abi: positionAbi };
  const count = await client.readContract({ ...call, functionName: "totalSupply", blockNumber: BigInt(block) });
  const indices = Array.from({ length: Number(count) }, (_, i) => BigInt(i));
  const ids = await answersOf(
    indices.map((index) => ({ ...call, functionName: "tokenByIndex", args: [index] })),
    block,
  );
  const all = ids.map(([id]) => id as bigint);
  const held = await answersOf(
    all.map((id) => ({ ...call, functionName: "positions", args: [id] })),
    block,
  );
  for (const [i, answer] of held.entries()) {
    const [liquidity, owed0, owed1] = [answer[7], answer[10], answer[11]] as [bigint, bigint, bigint];
    if (liquidity + owed0 + owed1 > 0n) found.set(`${manager} ${all[i]}`, liquidity);
  }
  return found;
}

/** Every range that a pool's Mint ever named, but for the managers'. */
async function directPositions(block: number): Promise<Liquidities> {
  const pools = new Set(announced("v3Pool", block));
  const managers = new Set(announced("v3Manager", block));
  const topic = toEventHash(getAbiItem({ abi: poolAbi, name: "Mint" }));
  const tickOf = (text: string): number => Number(BigInt.asIntN(24, BigInt(text)));
  const ranges = new Map<string, Omit<Read, "args"> & { args: readonly unknown[] }>();
  for (const { address, topics } of logsUpTo(block)) {
    if (topics[0] !== topic || !pools.has(address)) continue;
    const [, word = "", lower = "", upper = ""] = topics;
    const owner: Address = `0x${word.slice(26)}`;
    if (managers.has(owner)) continue;
    const [tickLower, tickUpper] = [tickOf(lower), tickOf(upper)];
    const key = keccak256(encodePacked(["address", "int24", "int24"], [owner, tickLower, tickUpper]));
    const read = { address, abi: poolAbi, functionName: "positions", args: [key] };
    ranges.set(`${address} ${owner} ${tickLower} ${tickUpper}`, read);
  }
  const names = [...ranges.keys()];
  const answers = await answersOf([...ranges.values()], block);
  const found: Liquidities = new Map();
  for (const [i, answer] of answers.entries()) {
    const [liquidity, , , owed0, owed1] = answer as [bigint, bigint, bigint, bigint, bigint];
    if (liquidity + owed0 + owed1 > 0n) found.set(String(names[i]), liquidity);
  }
  return found;
}

interface ShownPosition {
  id: string;
  manager: string | null;
  pool: string;
  owner: string;
  tickLower: number;
  tickUpper: number;
  liquidity: string;
}

const nameOf = ({ id, manager, pool, owner, tickLower, tickUpper }: ShownPosition): string =>
  manager === null ? `${pool} ${owner} ${tickLower} ${tickUpper}` : `${manager} ${id}`;

describe("lists of everything", () => {
  test("of pools have every one that a factory announced, in that order", async () => {
    const sizes: number[] = [];
    for (const block of blocks) {
      const shown = await walk<{ address: string }>(block, { field: "pools", node: "address" });
      expect(shown.map(({ address }) => address)).toEqual(announced("v3Pool", block));
      sizes.push(shown.length);
    }
    console.log(`pools at blocks ${blocks}: ${sizes}`);
    expect(sizes.at(-1)).toBeGreaterThan(10);
  });

  test("of tokens have every one with an event, in the order of the first", async () => {
    const sizes: number[] = [];
    for (const block of blocks) {
      const shown = await walk<{ address: string }>(block, { field: "tokens", node: "address" });
      expect(shown.map(({ address }) => address)).toEqual(tokensInOrder(block));
      sizes.push(shown.length);
    }
    console.log(`tokens at blocks ${blocks}: ${sizes}`);
    expect(sizes.at(-1)).toBeGreaterThanOrEqual(40);
  });

  test("of positions have all that pools and position managers hold anything for, with their liquidity", async () => {
    const sizes: string[] = [];
    for (const block of blocks) {
      const shown = await walk<ShownPosition>(block, {
        field: "positions",
        node: "id manager pool owner tickLower tickUpper liquidity",
      });
      const direct = await directPositions(block);
      const held: Liquidities = new Map(direct);
      for (const manager of announced("v3Manager", block))
        for (const [name, liquidity] of await tokenIds(manager as Address, block)) held.set(name, liquidity);
      expect(new Map(shown.map((one) => [nameOf(one), BigInt(one.liquidity)]))).toEqual(held);
      const order = announced("v3Pool", block);
      const ranks = shown.map(({ pool }) => order.indexOf(pool));
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      sizes.push(`${shown.length} (${direct.size} direct)`);
    }
    console.log(`positions at blocks ${blocks}: ${sizes}`);
    expect(Number.parseInt(String(sizes.at(-1)), 10)).toBeGreaterThan(50);
  });

  test("of vaults have every island and pair that a factory announced", async () => {
    const sizes: number[] = [];
    for (const block of blocks) {
      const shown = await walk<{ id: string; provider: string }>(block, {
        ...{ field: "vaults", node: "id provider", size: "limit", total: "count" },
      });
      const of = (wanted: string) => shown.flatMap(({ id, provider }) => (provider === wanted ? [id] : [])).sort();
      expect(of("kodiak")).toEqual(announced("island", block).sort());
      expect(of("v2")).toEqual(announced("v2Pair", block).sort());
      sizes.push(shown.length);
    }
    console.log(`vaults at blocks ${blocks}: ${sizes}`);
    expect(sizes.at(-1)).toBeGreaterThan(15);
  });

  test("of launches have every pool that the factory announced, newest first", async () => {
    for (const block of blocks) {
      const shown = await walk<{ pool: string }>(block, { field: "launches", node: "pool" });
      expect(shown.map(({ pool }) => pool)).toEqual(announced("launchPool", block).reverse());
    }
  });

  test("of baults have every one that the factory announced", async () => {
    for (const block of blocks) {
      const { data } = await gateway.graphql(`{ baults(${at(block)}) { token { address } } }`);
      const { baults } = data as { baults: { token: { address: string } }[] };
      expect(baults.map(({ token }) => token.address)).toEqual(announced("bault", block));
    }
  });

  test("of facts name every other issuer: reward vaults, farms, Infrared vaults, islands and markets", async () => {
    const factsOf = async <Node>(list: string, node: string, block: number): Promise<Node[]> => {
      const found: Node[] = [];
      for (let after = "", hasMore = true; hasMore; ) {
        const { data, errors } = await gateway.graphql(
          `{ facts(${at(block)}) { ${list}(direction: ascending, first: 7${after}) {
               pageInfo { hasNextPage endCursor } nodes { ${node} } } } }`,
        );
        expect(errors).toBeUndefined();
        type Page = { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
        const page = (data as { facts: Record<string, Page> }).facts[list] as Page;
        found.push(...page.nodes);
        hasMore = page.pageInfo.hasNextPage;
        after = `, after: "${page.pageInfo.endCursor}"`;
      }
      return found;
    };
    const kinds = { reward_vault: "rewardVault", farm: "farm", bault: "bault", infrared: "infraredVault" } as const;
    for (const block of blocks) {
      const vaults = await factsOf<{ vault: string; kind: keyof typeof kinds }>("stakingVaults", "vault kind", block);
      for (const [kind, emitter] of Object.entries(kinds))
        expect([kind, ...vaults.flatMap((one) => (one.kind === kind ? [one.vault] : []))]).toEqual([
          kind,
          ...announced(emitter, block),
        ]);
      const islands = await factsOf<{ island: string }>("islands", "island", block);
      expect(islands.map(({ island }) => island)).toEqual(announced("island", block));
    }
  });
});
