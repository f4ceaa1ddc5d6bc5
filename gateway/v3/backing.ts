// What a v3 pool holds, and for whom: positions of the manager's token ids, direct positions, protocol fees.

import { V3_RESERVE } from "../../core/ledgers/v3-reserve.ts";
import type { Backing, Issuer } from "../../core/lookthrough/backing.ts";
import { asOf } from "../ledger/as-of.ts";
import { readHoldings } from "../ledger/holdings-of.ts";
import {
  type Issued,
  type IssuedAsset,
  type OpenProtocol,
  type Protocol,
  tokenAsset,
  tokenOfAsset,
} from "../lookthrough/protocol.ts";
import type { Address } from "../parameters.ts";
import { readV3Overlay } from "./overlay.ts";
import { PoolPendingError, type V3Pool } from "./pool.ts";
import { poolAddresses, poolsAmong, poolsOfToken } from "./pools-at.ts";
import { positionAsset, positionOfAsset } from "./position-asset.ts";
import { type PositionWorth, poolWorth } from "./position-worth.ts";
import { findOwned } from "./positions-at.ts";
import { readPoolStates, type V3PoolState } from "./state-at.ts";

type Source = Parameters<typeof poolsOfToken>[0];

export const v3: Protocol = {
  name: "v3",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.v3) return undefined;
    const source = { at: asOf(context.snapshot, point), overlay: await readV3Overlay(context, point) };
    const { focus } = context;
    const near = focus && (await poolsAmong(source, [...focus.contracts] as Address[]));
    return {
      issuerAddresses: poolAddresses(source),
      async issuedAgainst(held) {
        const found: Issued[] = [];
        for (const token of held.flatMap((asset) => tokenOfAsset(asset) ?? [])) {
          const isMeant = ({ token0, token1 }: V3Pool) => token === token0 || token === token1;
          const pools = near?.filter(isMeant) ?? (await poolsOfToken(source, token));
          if (pools.length > 0) found.push(await issuedBy(source, token, pools));
        }
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
        (await findOwned(source, account)).flatMap(({ pool, manager, id }) =>
          [pool.token0, pool.token1].map((token) => positionAsset({ pool: pool.address, manager, id, token })),
        ),
    };
  },
};

/** @throws PoolPendingError */
async function issuedBy(source: Source, token: Address, pools: readonly V3Pool[]): Promise<Issued> {
  const pending = pools.find(({ isPending }) => isPending);
  if (pending) throw new PoolPendingError(pending.address);
  const expected = await readReserves(source, { token, pools });
  const states = await readPoolStates(
    source,
    pools.filter(({ stopped }) => !stopped),
  );
  const sides = states.map((state) => ({
    pool: state.pool,
    ...backingOf(state, { token, reserve: expected.get(state.pool.address) ?? 0n }),
  }));
  const stopped = pools.filter((pool) => pool.stopped);
  return {
    issuers: [
      ...sides.map(({ pool, backing }) => issuerOf(pool, token, backing)),
      ...stopped.map((pool) => issuerOf(pool, token, STOPPED)),
    ],
    assets: sides.flatMap(({ issued }) => issued),
  };
}

const STOPPED: Backing = { claims: [], reserves: [], remainder: "stopped" };

const issuerOf = (pool: V3Pool, token: Address, backing: Backing): Issuer => ({
  address: pool.address,
  backings: new Map([[tokenAsset(token), backing]]),
});

/** What the pools' events say they hold of `token`, by pool. */
async function readReserves(
  { at, overlay }: Source,
  { token, pools }: { token: Address; pools: readonly V3Pool[] },
): Promise<Map<Address, bigint>> {
  const addresses = pools.map(({ address }) => address);
  const folded = await readHoldings(at, { kind: V3_RESERVE, key: token }, addresses);
  return new Map(
    addresses.map((pool, i) => [pool, (folded[i] ?? 0n) + (overlay.reserves.get(`${token} ${pool}`) ?? 0n)]),
  );
}

/** One side of a pool. Each position is an asset of its own for each token, so that its unit is the token's. */
export function backingOf(
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
