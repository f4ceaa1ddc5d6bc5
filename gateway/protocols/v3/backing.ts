// What a v3 pool holds, and for whom: positions of the manager's token ids, direct positions, protocol fees.

import { V3_RESERVE } from "../../../core/ledgers/v3-reserve.ts";
import type { Backing, Issuer } from "../../../core/lookthrough/backing.ts";
import { type LedgerAt, ledgerAt } from "../../backing/ledger-at.ts";
import {
  type Issued,
  type IssuedAsset,
  type OpenProtocol,
  type Protocol,
  tokenAsset,
  tokenOfAsset,
} from "../../backing/protocol.ts";
import { STOPPED } from "../../backing/stopped.ts";
import type { V3Pool } from "../../concentrated/pool.ts";
import { poolAddresses, poolsAmong, poolsOfTokens } from "../../concentrated/pools-at.ts";
import { positionAsset, positionOfAsset } from "../../concentrated/position-id.ts";
import { type PositionWorth, poolWorth } from "../../concentrated/position-worth.ts";
import { findOwned } from "../../concentrated/positions-at.ts";
import { cachedPoolStates, type V3PoolState } from "../../concentrated/state-at.ts";
import { type AsOf, asOf } from "../../history/as-of.ts";
import type { Address } from "../../parameters.ts";

interface Source {
  at: AsOf;
  ledger: LedgerAt;
}

export const v3: Protocol = {
  name: "v3",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.v3) return undefined;
    const { snapshot, focus } = context;
    const source = {
      at: asOf(snapshot, point),
      ledger: ledgerAt({ snapshot }, point),
    };
    const inFocus = focus && (await poolsAmong(source.at, [...focus.contracts] as Address[]));
    return {
      issuerAddresses: poolAddresses(source.at),
      async issuedAgainst(held) {
        const tokens = held.flatMap((asset) => tokenOfAsset(asset) ?? []);
        const among = inFocus ?? (await poolsOfTokens(source.at, tokens));
        const sides = tokens.flatMap((token) => {
          const pools = among.filter(({ token0, token1 }) => token === token0 || token === token1);
          return pools.length > 0 ? [{ token, pools }] : [];
        });
        const found = await issuedBy(source, sides);
        return {
          issuers: found.flatMap(({ issuers }) => issuers),
          assets: found.flatMap(({ assets }) => assets),
        };
      },
      behind: async (held) =>
        held.flatMap((asset) => {
          const position = positionOfAsset(asset);
          return position ? [{ contract: position.pool, assets: [tokenAsset(position.token)] }] : [];
        }),
      heldBy: async (account) =>
        (await findOwned(source.at, account)).flatMap(({ pool, manager, id }) =>
          [pool.token0, pool.token1].map((token) => positionAsset({ pool: pool.address, manager, id, token })),
        ),
    };
  },
};

interface Sides {
  token: Address;
  /** Of that token. */
  pools: readonly V3Pool[];
}

/** For each of `sides`. */
async function issuedBy(source: Source, sides: readonly Sides[]): Promise<Issued[]> {
  const all = [...new Map(sides.flatMap(({ pools }) => pools.map((pool) => [pool.address, pool]))).values()];
  const running = all.filter(({ stopped }) => !stopped);
  const [reserves, read] = await Promise.all([
    Promise.all(sides.map((one) => readReserves(source, one))),
    cachedPoolStates(source.at, running),
  ]);
  const states = new Map(read.map((state) => [state.pool.address, state]));
  return sides.map((one, i) => issuedOf(one, { states, reserves: reserves[i] ?? [] }));
}

function issuedOf(
  { token, pools }: Sides,
  { states, reserves }: { states: ReadonlyMap<string, V3PoolState>; reserves: readonly bigint[] },
): Issued {
  const issuers: Issuer[] = [];
  const assets: IssuedAsset[] = [];
  for (const [i, pool] of pools.entries()) {
    const state = states.get(pool.address);
    const { backing, issued } = state
      ? backingOf(state, { token, reserve: reserves[i] ?? 0n })
      : { backing: STOPPED, issued: [] };
    issuers.push(issuerOf(pool, token, backing));
    assets.push(...issued);
  }
  return { issuers, assets };
}

const issuerOf = (pool: V3Pool, token: Address, backing: Backing): Issuer => ({
  address: pool.address,
  backings: new Map([[tokenAsset(token), backing]]),
});

/** What the pools' events say they hold of `token`, in the order of `pools`. */
const readReserves = ({ ledger }: Source, { token, pools }: Sides): Promise<bigint[]> =>
  ledger.amounts(pools.map(({ address }) => ({ kind: V3_RESERVE, key: token, account: address })));

/** One side of a pool. Each position is an asset of its own for each token, so that its unit is the token's. */
function backingOf(
  state: V3PoolState,
  { token, reserve }: { token: Address; reserve: bigint },
): { backing: Backing; issued: IssuedAsset[] } {
  const { pool, slot } = state;
  const side = pool.token0 === token ? 0 : 1;
  const { positions, ownerless0, ownerless1 } = poolWorth(state);
  const claimed = positions.map((worth) => ({ worth, ...sideOf(worth, side) })).filter(({ amount }) => amount > 0n);
  const protocolFees = (side === 0 ? slot?.protocolFees0 : slot?.protocolFees1) ?? 0n;
  const issued = claimed.map(({ worth, amount }) => issuedTo(worth, { pool, token, amount }));
  return {
    issued,
    backing: {
      claims: claimed.map(({ amount, principal }, i) => ({ asset: issued[i]?.id ?? "", amount, principal })),
      reserves: [
        { reason: "protocol-fee", amount: protocolFees },
        { reason: "stray", amount: side === 0 ? ownerless0 : ownerless1 },
      ],
      expected: reserve,
    },
  };
}

const sideOf = (worth: PositionWorth, side: 0 | 1): { amount: bigint; principal: bigint } => {
  const [principal, fees] = side === 0 ? [worth.principal0, worth.fees0] : [worth.principal1, worth.fees1];
  return { amount: principal + fees, principal };
};

/** A position's claim to one token, whose unit is the token's: its supply is what it would pay. */
function issuedTo(
  { id, manager, owner }: PositionWorth,
  { pool, token, amount }: { pool: V3Pool; token: Address; amount: bigint },
): IssuedAsset {
  return {
    id: positionAsset({ pool: pool.address, manager, id, token }),
    issuer: pool.address,
    holdings: [{ account: owner, amount }],
    heldAs: { kind: "v3-position", id: String(id), contract: pool.address, ...(manager ? { manager } : {}) },
  };
}
