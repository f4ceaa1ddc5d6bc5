// Prices worked out from the chain alone, in doubles: slots, reserves and balances that contracts report at blocks of their
// logs, averaged by hand, and every path tried. Nothing here is the product's.
import { type Address, type Log, type PublicClient, parseAbi, toEventSelector } from "viem";
import { readAll } from "../../verify/pool-contracts.ts";

const abi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint32, bool)",
  "function liquidity() view returns (uint128)",
  "function balanceOf(address) view returns (uint256)",
  "function getReserves() view returns (uint112, uint112, uint32)",
]);
const createdAbi = parseAbi([
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 ordinal)",
]);

export interface ReferencePool {
  address: Address;
  token0: Address;
  token1: Address;
  kind: "v2" | "v3";
  created: number;
}

/** Pools and pairs of `factories`, by their own announcements. */
export async function announcedPools(client: PublicClient, factories: readonly Address[]): Promise<ReferencePool[]> {
  const filter = { events: createdAbi, strict: true } as const;
  const logs = await client.getLogs({ ...filter, address: [...factories], fromBlock: 0n, toBlock: "latest" });
  return logs.map((log) => {
    const address: Address = log.eventName === "PoolCreated" ? log.args.pool : log.args.pair;
    return {
      address: address.toLowerCase() as Address,
      token0: log.args.token0.toLowerCase() as Address,
      token1: log.args.token1.toLowerCase() as Address,
      kind: log.eventName === "PoolCreated" ? "v3" : "v2",
      created: Number(log.blockNumber),
    };
  });
}

interface Moment {
  time: number;
  /** token1 per token0, raw. */
  price: number | undefined;
  depths: [number, number];
}

export interface ReferenceMean extends ReferencePool {
  price: number;
  depths: [number, number];
  lifeDepths: [number, number];
}

/** What each pool says at the end of `block`. */
async function reported(
  client: PublicClient,
  pools: readonly ReferencePool[],
  block: number,
): Promise<Omit<Moment, "time">[]> {
  const reads = pools.flatMap(({ address, kind, token0, token1 }) =>
    kind === "v2"
      ? [{ address, abi, functionName: "getReserves", args: [] }]
      : [
          { address, abi, functionName: "slot0", args: [] },
          { address, abi, functionName: "liquidity", args: [] },
          { address: token0, abi, functionName: "balanceOf", args: [address] },
          { address: token1, abi, functionName: "balanceOf", args: [address] },
        ],
  );
  const answers = (await readAll(client, reads, block)).map((answer) => Number(answer?.[0] ?? 0n));
  const seconds = await readAll(
    client,
    reads.filter(({ functionName }) => functionName === "getReserves"),
    block,
  );
  let next = 0;
  let nextPair = 0;
  return pools.map(({ kind }) => {
    if (kind === "v2") {
      const reserve0 = answers[next++] ?? 0;
      const reserve1 = Number(seconds[nextPair++]?.[1] ?? 0n);
      return { price: reserve0 > 0 && reserve1 > 0 ? reserve1 / reserve0 : undefined, depths: [reserve0, reserve1] };
    }
    const [sqrtPrice = 0, liquidity = 0, held0 = 0, held1 = 0] = answers.slice(next, next + 4);
    next += 4;
    const root = sqrtPrice / 2 ** 96;
    if (root === 0) return { price: undefined, depths: [0, 0] };
    return { price: root * root, depths: [Math.min(liquidity / root, held0), Math.min(liquidity * root, held1)] };
  });
}

const SPAN = 1_800;

/** The means of all pools over the half hour before `block`. */
export async function meansOf(
  client: PublicClient,
  pools: readonly ReferencePool[],
  { block, timeOf }: { block: number; timeOf(block: number): number },
): Promise<ReferenceMean[]> {
  const old = pools.filter(({ created }) => created <= block);
  const [to, from] = [timeOf(block), timeOf(block) - SPAN];
  let first = block;
  while (first >= 0 && timeOf(first) > from) first -= 1;
  const moments = new Map<Address, Moment[]>(old.map(({ address }) => [address, []]));
  const tell = async (changed: readonly ReferencePool[], at: number, time: number) => {
    for (const [i, moment] of (await reported(client, changed, at)).entries())
      moments.get(changed[i]?.address as Address)?.push({ time, ...moment });
  };
  if (first >= 0) await tell(old, first, from);
  const logs = await logsOf(client, old, { from: first + 1, to: block });
  for (const at of [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))].sort((a, b) => a - b)) {
    const named = new Set(logs.filter(({ blockNumber }) => Number(blockNumber) === at).map(({ address }) => address));
    await tell(
      old.filter(({ address }) => named.has(address)),
      at,
      timeOf(at),
    );
  }
  return old.flatMap((pool) => meanOf(pool, moments.get(pool.address) ?? [], { from, to }) ?? []);
}

/** Everything that pools log, whatever it is. */
async function logsOf(
  client: PublicClient,
  pools: readonly ReferencePool[],
  range: { from: number; to: number },
): Promise<Log[]> {
  if (range.from > range.to || pools.length === 0) return [];
  const address = pools.map((pool) => pool.address);
  const logs = await client.getLogs({ address, fromBlock: BigInt(range.from), toBlock: BigInt(range.to) });
  const sharesOnly = toEventSelector("Transfer(address,address,uint256)");
  return logs.filter(({ topics }) => topics[0] !== sharesOnly);
}

function meanOf(
  pool: ReferencePool,
  all: readonly Moment[],
  { from, to }: { from: number; to: number },
): ReferenceMean | undefined {
  const begin = all.findIndex(({ price }) => price !== undefined);
  if (begin < 0) return undefined;
  const moments = all.slice(begin);
  const [weights, prices]: [number[], number[]] = [[], []];
  for (const [i, { time, price }] of moments.entries()) {
    weights.push(Math.min(moments[i + 1]?.time ?? to, to) - Math.max(time, from));
    prices.push(price ?? prices.at(-1) ?? 0);
  }
  const life = weights.reduce((sum, weight) => sum + weight, 0);
  const logarithms = prices.reduce((sum, price, i) => sum + Math.log(price) * (weights[i] ?? 0), 0);
  const total = (side: 0 | 1) => moments.reduce((sum, { depths }, i) => sum + depths[side] * (weights[i] ?? 0), 0);
  const last = moments.at(-1)?.depths ?? [0, 0];
  return {
    ...pool,
    price: life === 0 ? (prices.at(-1) ?? 0) : Math.exp(logarithms / life),
    depths: [total(0) / SPAN, total(1) / SPAN],
    lifeDepths: life === 0 ? last : [total(0) / life, total(1) / life],
  };
}

export interface ReferencePrice {
  usd: number;
  path: readonly Address[];
  tokens: readonly Address[];
  depth: number;
  lastDepth: number;
}

/** USD of each token, by trying every way back from it to a fixed one. */
export function pricesByHand(market: {
  fixed: ReadonlyMap<Address, number>;
  means: readonly ReferenceMean[];
  decimals: ReadonlyMap<Address, number>;
  minimum: number;
}): Map<Address, ReferencePrice> {
  const { fixed, means, decimals, minimum } = market;
  const priced = new Map<string, ReferencePrice | undefined>();
  const best = (token: Address, hops: number): ReferencePrice | undefined => {
    const usd = fixed.get(token);
    if (usd !== undefined) return { usd, path: [], tokens: [token], depth: Number.POSITIVE_INFINITY, lastDepth: 0 };
    if (hops === 0) return undefined;
    const name = `${token} ${hops}`;
    if (!priced.has(name)) priced.set(name, chosen(token, hops));
    return priced.get(name);
  };
  const through = (token: Address, mean: ReferenceMean, hops: number): ReferencePrice[] => {
    const side = mean.token0 === token ? 1 : 0;
    const other = side === 0 ? mean.token0 : mean.token1;
    const [own, others] = [decimals.get(token), decimals.get(other)];
    const before = best(other, hops - 1);
    if (!before || own === undefined || others === undefined || before.tokens.includes(token)) return [];
    const usdOf = (raw: number) => (before.usd * raw) / 10 ** others;
    if (usdOf(mean.lifeDepths[side]) < minimum) return [];
    const lastDepth = usdOf(mean.depths[side]);
    const perOther = side === 0 ? 1 / mean.price : mean.price;
    return [
      {
        usd: before.usd * perOther * 10 ** (own - others),
        path: [...before.path, mean.address],
        tokens: [...before.tokens, token],
        depth: Math.min(before.depth, lastDepth),
        lastDepth,
      },
    ];
  };
  const chosen = (token: Address, hops: number): ReferencePrice | undefined => {
    const shorter = best(token, hops - 1);
    const offers = means
      .filter(({ token0, token1 }) => token0 === token || token1 === token)
      .flatMap((mean) => through(token, mean, hops));
    return [...(shorter ? [shorter] : []), ...offers].sort(
      (a, b) =>
        b.depth - a.depth ||
        a.path.length - b.path.length ||
        b.lastDepth - a.lastDepth ||
        ((a.path.at(-1) ?? "") < (b.path.at(-1) ?? "") ? -1 : 1),
    )[0];
  };
  const tokens = new Set(means.flatMap(({ token0, token1 }) => [token0, token1]));
  return new Map(
    [...tokens].flatMap((token) => {
      const price = best(token, 4);
      return price ? [[token, price] as const] : [];
    }),
  );
}
