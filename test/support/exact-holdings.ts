// Who holds a token at one block wherever it sits, in exact fractions: what the readers of that block say of backings, with claims of
// positions worked out again from the pool's state, where nothing is rounded. Averages are made of such blocks, one by one.

import { claimThen, type Ratio } from "../../devnet/fuzz/exact-claims.ts";
import { ledgerAt } from "../../gateway/backing/ledger-at.ts";
import { tokenAsset } from "../../gateway/backing/protocol.ts";
import { issuersText, openAll, readIssued, readIssuersAmong } from "../../gateway/balances/issued.ts";
import { poolsAmong } from "../../gateway/concentrated/pools-at.ts";
import { directPositionId, positionAsset } from "../../gateway/concentrated/position-id.ts";
import { cachedPoolStates, type V3PoolState } from "../../gateway/concentrated/state-at.ts";
import type { OperationContext } from "../../gateway/context.ts";
import { type AsOf, asOf } from "../../gateway/history/as-of.ts";
import type { Address } from "../../gateway/parameters.ts";
import { islandsAmong, readIslandRows } from "../../gateway/protocols/island/islands-at.ts";
import type { ExactBacking, ExactBlock, ExactIssuer } from "./exact-attribution.ts";
import { pointAt } from "./issued-each-block.ts";
import { by, minus, plus, type Rational, ratio } from "./rational.ts";

const rational = ({ over, under }: Ratio): Rational => ratio(over, under);

interface ExactPosition {
  asset: string;
  owner: string;
  principal: Rational;
  fees: Rational;
}

const total = ({ principal, fees }: ExactPosition): Rational => plus(principal, fees);

type Rows =
  | V3PoolState["nfts"][number]
  | (V3PoolState["positions"] extends ReadonlyMap<string, infer Row> ? Row : never);

/** Every position's claim to one token, and what nobody has a claim to. */
function positionsOf(state: V3PoolState, token: Address): { owned: ExactPosition[]; ownerless: Rational } {
  const { pool, slot, ticks } = state;
  const side = pool.token0 === token ? 0 : 1;
  const claimOf = (row: Rows) => {
    const { principal, fees } = claimThen({ slot, ticks }, row);
    return { principal: rational(principal[side]), fees: rational(fees[side]) };
  };
  const rows = [...state.positions.values()];
  const direct = rows.filter(({ owner }) => owner !== pool.manager);
  const owned = [
    ...state.nfts.map((row) => ({
      asset: positionAsset({ pool: pool.address, manager: pool.manager, id: row.tokenId, token }),
      ...{ owner: row.owner, ...claimOf(row) },
    })),
    ...direct.map((row) => ({
      asset: positionAsset({ pool: pool.address, manager: undefined, id: directPositionId(row), token }),
      ...{ owner: row.owner, ...claimOf(row) },
    })),
  ];
  let ownerless = ratio(0n);
  for (const row of rows.filter(({ owner }) => owner === pool.manager)) {
    const same = state.nfts.filter((nft) => nft.tickLower === row.tickLower && nft.tickUpper === row.tickUpper);
    const liquidity = same.reduce((left, nft) => left - nft.liquidity, row.liquidity);
    if (liquidity <= 0n) continue;
    // what the manager's account was paid of the token ids' fees is theirs also before they learn of it
    const owedTo = (
      owed: "tokensOwed0" | "tokensOwed1",
      last: "feeGrowthInside0LastX128" | "feeGrowthInside1LastX128",
    ) => {
      const unpaid = same.map((nft) => nft.liquidity * BigInt.asUintN(256, row[last] - nft[last]));
      const theirs = unpaid.reduce((sum, one) => sum + one, 0n) >> 128n;
      const left = same.reduce((rest, nft) => rest - nft[owed], row[owed]) - theirs;
      return left > 0n ? left : 0n;
    };
    const { principal, fees } = claimOf({
      ...{ ...row, liquidity },
      tokensOwed0: owedTo("tokensOwed0", "feeGrowthInside0LastX128"),
      tokensOwed1: owedTo("tokensOwed1", "feeGrowthInside1LastX128"),
    });
    ownerless = plus(ownerless, plus(principal, fees));
  }
  return { owned, ownerless };
}

type Issuers = Map<string, ExactIssuer & { backings: Map<string, ExactBacking> }>;

/** All that is behind `token` at the end of `block`, with everybody who holds it. */
export async function exactBlock(context: OperationContext, token: Address, block: number): Promise<ExactBlock> {
  const point = await pointAt(context, block);
  const at = asOf(context.snapshot, point);
  const open = await openAll(context, point);
  const text = issuersText(at.fold, open);
  const among = (accounts: readonly string[]) => readIssuersAmong(at, text, accounts);
  const { issuers: read, assets: issued } = await readIssued(open, [tokenAsset(token)], among);
  const [holdings = []] = await ledgerAt(context, point).holders([{ kind: "erc20", key: token }]);
  const issuers: Issuers = new Map(
    [...read.values()].map(({ address, backings, isAccountOtherwise }) => [
      address,
      { isAccountOtherwise, backings: new Map([...backings].map(([asset, backing]) => [asset, exact(backing)])) },
    ]),
  );
  const pools = context.chain.v3 ? await poolsAmong(at, [...issuers.keys()] as Address[]) : [];
  const running = pools.filter(({ stopped }) => !stopped);
  const owned = (await cachedPoolStates(at, running)).flatMap((state) => withExactPositions(state, issuers));
  const assets = new Map([...issued].map(([id, asset]) => [id, asset.holdings.map(exactHolding)]));
  for (const one of owned) assets.set(one.asset, [{ account: one.owner, amount: total(one) }]);
  const held = [...holdings.map(({ account }) => account), ...owned.map(({ owner }) => owner)];
  for (const address of await among(held)) if (!issuers.has(address)) issuers.set(address, { backings: new Map() });
  if (context.chain.islands) await withExactIslands(at, issuers, new Map(owned.map((one) => [one.asset, one])));
  return { leaf: { id: tokenAsset(token), holdings: holdings.map(exactHolding) }, issuers, assets };
}

const exactHolding = ({ account, amount }: { account: string; amount: bigint }) => ({ account, amount: ratio(amount) });

/** Makes a pool's backings exact; its positions. */
function withExactPositions(state: V3PoolState, issuers: Issuers): ExactPosition[] {
  const backings = issuers.get(state.pool.address)?.backings;
  return [state.pool.token0, state.pool.token1].flatMap((token) => {
    const before = backings?.get(tokenAsset(token));
    if (!before) return [];
    const { owned, ownerless } = positionsOf(state, token);
    const fees = before.reserves.filter(({ reason }) => reason === "protocol-fee");
    backings?.set(tokenAsset(token), {
      ...before,
      claims: owned.map((one) => ({ asset: one.asset, amount: total(one) })),
      reserves: [...fees, { reason: "stray", amount: ownerless }],
    });
    return owned;
  });
}

/** Makes what islands have of their positions exact. */
async function withExactIslands(
  at: AsOf,
  issuers: Issuers,
  positions: ReadonlyMap<string, ExactPosition>,
): Promise<void> {
  const islands = await islandsAmong(at, [...issuers.keys()] as Address[]);
  const rows = await readIslandRows(at, islands);
  for (const { address } of islands) {
    const backings = issuers.get(address)?.backings ?? new Map<string, ExactBacking>();
    for (const [asset, backing] of backings) {
      const [position, row] = [positions.get(asset), rows.get(address)];
      if (!position || !row || backing.remainder) continue;
      const managers = by(position.fees, ratio(BigInt(row.managerFeeBps), 10_000n));
      backings.set(asset, {
        claims: [{ asset: tokenAsset(address), amount: minus(total(position), managers) }],
        reserves: [{ reason: "manager-fee", amount: managers }],
      });
    }
  }
}

const exact = ({
  claims,
  reserves,
  expected,
  remainder,
}: {
  claims: readonly { asset: string; amount: bigint }[];
  reserves: readonly { reason: string; amount: bigint }[];
  expected?: bigint | undefined;
  remainder?: string | undefined;
}): ExactBacking => ({
  claims: claims.map(({ asset, amount }) => ({ asset, amount: ratio(amount) })),
  reserves: reserves.map(({ reason, amount }) => ({ reason, amount: ratio(amount) })),
  expected: expected === undefined ? undefined : ratio(expected),
  remainder,
});
