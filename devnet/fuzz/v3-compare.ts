// Compares the chain at one block with the reducer's rows: every number of every pool, tick, position and token id,
// and what leaving each position would really pay.
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  maxUint128,
} from "viem";
import { nftAmounts, type PositionAmounts, positionAmounts } from "../../core/concentrated/position-amounts.ts";
import type { NftRow, PoolRow, PositionRow, TickRow } from "../../core/concentrated/rows.ts";
import { readArtifact } from "../compile/artifacts.ts";
import type { RowStore } from "./v3-rows.ts";
import type { FuzzPool, Setting } from "./v3-setting.ts";

/** One number that differs. */
export interface Difference {
  what: string;
  chain: string;
  replayed: string;
}

export interface Comparison {
  compared: number;
  differences: Difference[];
}

interface Outcome {
  ok: boolean;
  data: Hex;
}

/** One read of the chain and the words that it must return; `undefined` where the reducer does not keep the number. */
interface Expected {
  what: string;
  to: Address;
  data: Hex;
  /** Absent: the call must revert. */
  words?: (bigint | undefined)[];
}

const outcomesShape = [
  {
    type: "tuple[]",
    components: [
      { name: "ok", type: "bool" },
      { name: "data", type: "bytes" },
    ],
  },
] as const;
const poolAbi = readArtifact("UniswapV3Pool").abi;
const managerAbi = readArtifact("NonfungiblePositionManager").abi;

/** Compares everything that `pools` ever held with the chain at `block`. */
export async function compareState(
  setting: Setting,
  { store, pools, block }: { store: RowStore; pools: readonly FuzzPool[]; block: number },
): Promise<Comparison> {
  const expected = pools.flatMap((pool) => expectedReads(store, pool));
  const reads = expected.map(({ to, data }) => ({ to, data }));
  const abi = setting.probeAbi as typeof poolAbi;
  const data = encodeFunctionData({ abi, functionName: "read", args: [reads] });
  const answer = await setting.chain.rpc<Hex>("eth_call", [{ to: setting.probe, data }, `0x${block.toString(16)}`]);
  const outcomes = decodeFunctionResult({ abi, functionName: "read", data: answer }) as unknown as Outcome[];
  const comparison: Comparison = { compared: 0, differences: [] };
  for (const [index, { what, words }] of expected.entries()) {
    const outcome = outcomes[index] as Outcome;
    if (!outcome.ok || words === undefined) {
      note(
        comparison,
        { what, chain: outcome.ok ? "an answer" : "reverts", replayed: words === undefined ? "reverts" : "a row" },
        outcome.ok !== (words === undefined),
      );
      continue;
    }
    for (const [place, word] of words.entries()) {
      if (word === undefined) continue;
      const chain = BigInt(`0x${outcome.data.slice(2 + place * 64, 66 + place * 64)}`);
      const replayed = BigInt.asUintN(256, word);
      note(
        comparison,
        { what: `${what}[${place}]`, chain: String(chain), replayed: String(replayed) },
        chain === replayed,
      );
    }
  }
  return comparison;
}

function note(comparison: Comparison, difference: Difference, isSame: boolean): void {
  comparison.compared += 1;
  if (!isSame) comparison.differences.push(difference);
}

function expectedReads(store: RowStore, pool: FuzzPool): Expected[] {
  const { address } = pool;
  const read = (functionName: string, args: readonly unknown[] = []): { to: Address; data: Hex } => ({
    to: address,
    data: encodeFunctionData({ abi: poolAbi, functionName, args }),
  });
  const row = store.pool(address);
  const name = `pool ${address}`;
  return [
    { what: `${name} slot0`, ...read("slot0"), words: slotWords(pool, row) },
    { what: `${name} liquidity`, ...read("liquidity"), words: [row.liquidity] },
    { what: `${name} feeGrowthGlobal0X128`, ...read("feeGrowthGlobal0X128"), words: [row.feeGrowthGlobal0X128] },
    { what: `${name} feeGrowthGlobal1X128`, ...read("feeGrowthGlobal1X128"), words: [row.feeGrowthGlobal1X128] },
    { what: `${name} protocolFees`, ...read("protocolFees"), words: [row.protocolFees0, row.protocolFees1] },
    ...store.ticks(address).map((tick) => ({
      what: `${name} tick ${tick.tick}`,
      ...read("ticks", [tick.tick]),
      words: tickWords(tick),
    })),
    ...store.positions(address).map((position) => ({
      what: `${name} position ${position.owner} ${position.tickLower} ${position.tickUpper}`,
      ...read("positions", [positionKey(position)]),
      words: positionWords(position),
    })),
    ...store.nfts(address).map((nft) => ({
      what: `${pool.flavour} token id ${nft.tokenId}`,
      to: pool.manager,
      data: encodeFunctionData({ abi: managerAbi, functionName: "positions", args: [nft.tokenId] }),
      ...(isBurnt(nft) ? {} : { words: nftWords(pool, nft) }),
    })),
    ...store.nfts(address).map((nft) => ({
      what: `${pool.flavour} owner of token id ${nft.tokenId}`,
      to: pool.manager,
      data: encodeFunctionData({ abi: managerAbi, functionName: "ownerOf", args: [nft.tokenId] }),
      ...(isBurnt(nft) ? {} : { words: [BigInt(nft.owner)] }),
    })),
  ];
}

const isBurnt = ({ owner }: NftRow): boolean => BigInt(owner) === 0n;

function slotWords({ flavour }: FuzzPool, row: PoolRow): (bigint | undefined)[] {
  const packed = row.feeProtocol0 + row.feeProtocol1 * (flavour === "kodiak" ? 65_536 : 16);
  return [row.sqrtPriceX96, BigInt(row.tick), undefined, undefined, undefined, BigInt(packed)];
}

function tickWords({ liquidityGross, liquidityNet, feeGrowthOutside0X128, feeGrowthOutside1X128 }: TickRow) {
  const initialized = liquidityGross > 0n ? 1n : 0n;
  const growth = [feeGrowthOutside0X128, feeGrowthOutside1X128];
  return [liquidityGross, liquidityNet, ...growth, undefined, undefined, undefined, initialized];
}

function positionWords(row: PositionRow | NftRow): bigint[] {
  const last = [row.feeGrowthInside0LastX128, row.feeGrowthInside1LastX128];
  return [row.liquidity, ...last, row.tokensOwed0, row.tokensOwed1];
}

function nftWords(pool: FuzzPool, nft: NftRow): (bigint | undefined)[] {
  const range = [BigInt(nft.tickLower), BigInt(nft.tickUpper)];
  const key = [BigInt(pool.token0), BigInt(pool.token1), BigInt(pool.fee)];
  return [undefined, undefined, ...key, ...range, ...positionWords(nft)];
}

function positionKey({ owner, tickLower, tickUpper }: PositionRow): Hex {
  return keccak256(encodePacked(["address", "int24", "int24"], [owner as Address, tickLower, tickUpper]));
}

interface Leaving {
  what: string;
  owner: Address;
  to: Address;
  calls: Hex[];
  amounts: PositionAmounts;
}

/** Closes every position of `pools`, each by itself in a call that changes nothing, and compares what it is paid. */
export async function compareLeaving(
  setting: Setting,
  { store, pools, block }: { store: RowStore; pools: readonly FuzzPool[]; block: number },
): Promise<Comparison> {
  const leavings = pools.flatMap((pool) => [...leavingNfts(store, pool), ...leavingPositions(store, pool)]);
  const abi = setting.probeAbi as typeof poolAbi;
  const comparison: Comparison = { compared: 0, differences: [] };
  for (const owner of new Set(leavings.map((leaving) => leaving.owner))) {
    const mine = leavings.filter((leaving) => leaving.owner === owner);
    const data = encodeFunctionData({
      abi,
      functionName: "tryEach",
      args: [mine.map(({ to, calls }) => ({ to, calls }))],
    });
    const overrides = { [owner]: { code: setting.probeCode } };
    const call = { from: owner, to: owner, data, gas: "0x3b9aca00" };
    const answer = await setting.chain.rpc<Hex>("eth_call", [call, `0x${block.toString(16)}`, overrides]);
    const outcomes = decodeFunctionResult({ abi, functionName: "tryEach", data: answer }) as unknown as Hex[];
    for (const [index, { what, amounts }] of mine.entries()) {
      const paid = paidBy(outcomes[index] as Hex);
      const chain = paid.join(" ");
      const { principal0, principal1, fees0, fees1 } = amounts;
      const replayed = [principal0, principal1, principal0 + fees0, principal1 + fees1].join(" ");
      note(comparison, { what: `leaving ${what}`, chain, replayed }, chain === replayed);
    }
  }
  return comparison;
}

/**
 * Principal of the first call (0 without one) and payment of the last; the reason where either was refused. A principal of
 * more than 128 bits overflows in `tokensOwed`: then all that is paid counts as principal.
 */
function paidBy(returned: Hex): (bigint | string)[] {
  const [outcomes] = decodeAbiParameters(outcomesShape, returned);
  const refused = outcomes.find(({ ok }) => !ok);
  if (refused !== undefined) return [`refused ${refused.data}`];
  const words = ({ data }: Outcome) => [BigInt(data.slice(0, 66)), BigInt(`0x${data.slice(66, 130)}`)];
  const [first, last] = [outcomes[0] as Outcome, outcomes.at(-1) as Outcome];
  const paid = words(last);
  const principal = outcomes.length > 1 ? words(first) : [0n, 0n];
  return [...principal.map((amount, token) => (amount < (paid[token] ?? 0n) ? amount : (paid[token] ?? 0n))), ...paid];
}

function leavingNfts(store: RowStore, { address, manager, flavour }: FuzzPool): Leaving[] {
  const pool = store.pool(address);
  return store
    .nfts(address)
    .filter((nft) => !isBurnt(nft) && (nft.liquidity > 0n || nft.tokensOwed0 > 0n || nft.tokensOwed1 > 0n))
    .map((nft) => {
      const { tokenId, liquidity, owner } = nft;
      const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: 2n ** 40n };
      const all = { tokenId, recipient: owner, amount0Max: maxUint128, amount1Max: maxUint128 };
      const encode = (functionName: string, params: object): Hex =>
        encodeFunctionData({ abi: managerAbi, functionName, args: [params] });
      const managerPosition = store.position(address, { ...nft, owner: manager });
      return {
        what: `${flavour} token id ${tokenId}`,
        owner: owner as Address,
        to: manager,
        calls: [...(liquidity > 0n ? [encode("decreaseLiquidity", out)] : []), encode("collect", all)],
        amounts: nftAmounts(pool, { nft, managerPosition, ticks: store.rangeTicks(address, nft) }),
      };
    });
}

/** Includes the manager's own position: the part of it that no token id claims follows from it and from what token ids are paid. */
function leavingPositions(store: RowStore, { address }: FuzzPool): Leaving[] {
  const pool = store.pool(address);
  return store
    .positions(address)
    .filter(({ liquidity }) => liquidity > 0n)
    .map((position) => {
      const { owner, tickLower, tickUpper, liquidity } = position;
      const encode = (functionName: string, args: readonly unknown[]): Hex =>
        encodeFunctionData({ abi: poolAbi, functionName, args });
      return {
        what: `pool ${address} position ${owner} ${tickLower} ${tickUpper}`,
        owner: owner as Address,
        to: address,
        calls: [
          encode("burn", [tickLower, tickUpper, liquidity]),
          encode("collect", [owner, tickLower, tickUpper, maxUint128, maxUint128]),
        ],
        amounts: positionAmounts(pool, { position, ticks: store.rangeTicks(address, position) }),
      };
    });
}
