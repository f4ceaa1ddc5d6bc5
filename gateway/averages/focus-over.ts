// Which contracts lie between accounts and the tokens behind what they hold, over a range of blocks. Rather too many, held at some
// other block or not at all, than too few.
import { STAKE } from "../../core/ledgers/stake.ts";
import { type OpenProtocol, tokenAsset } from "../backing/protocol.ts";
import { stakeAsset } from "../backing/stake.ts";
import { behindUnknown } from "../balances/behind-unknown.ts";
import { readBehind } from "../balances/issued.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { poolsNumbered } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import { assetsOfAccount } from "../history/holdings-at.ts";
import type { BlockPoint } from "../history/point.ts";
import { listParameter } from "../history/sql-values.ts";
import type { Address } from "../parameters.ts";
import { islandsAmong } from "../protocols/island/islands-at.ts";
import type { FocusOver } from "./issued-levels.ts";
import { poolsOfOwnersText } from "./v3-texts.ts";

interface Input {
  token: Address;
  accounts: readonly Address[];
  from: BlockPoint;
  to: BlockPoint;
  open: readonly OpenProtocol[];
}

export async function focusOver(context: OperationContext, input: Input): Promise<FocusOver> {
  const { token, accounts, from, to, open } = input;
  const at = asOf(context.snapshot, to);
  const rows = await at.prepared<{ kind: string; key: Address }>(
    `select distinct a.kind, '0x' || encode(a.key, 'hex') as key
       from unnest(${listParameter(1)}) u(account)
      cross join lateral (select decode(substr(u.account, 3), 'hex') as account) h
      cross join lateral (${assetsOfAccount(at.fold, { account: "h.account", block: "$2::int4" })}) held
       join ${at.fold}.asset a on a.id = held.asset
      where a.kind in ('erc20', '${STAKE}')`,
    [accounts.join(","), String(to.block)],
  );
  const pools = context.chain.v3 ? await poolsOf(context, { accounts, from, to }) : [];
  const held = [
    ...rows.map(({ kind, key }) => (kind === STAKE ? stakeAsset(key) : tokenAsset(key))),
    // a position is a claim to both of its pool's tokens, which may be shares of something
    ...pools.flatMap(({ token0, token1 }) => [tokenAsset(token0), tokenAsset(token1)]),
  ];
  const found = await readBehind(open, held);
  // nobody can say that these do not lie there
  const unknown = await behindUnknown(context, to);
  const contracts = new Set([...found.contracts, ...(unknown.tokens.has(token) ? unknown.contracts : [])]);
  const islands = context.chain.islands ? await islandsAmong(at, [...contracts]) : [];
  const below = [...islands.map(({ pool }) => pool), ...pools.map(({ address }) => address)];
  return { accounts, contracts: [...new Set([...contracts, ...below])] };
}

/** Where `accounts` have positions at some block. */
async function poolsOf(
  { snapshot }: OperationContext,
  { accounts, from, to }: Pick<Input, "accounts" | "from" | "to">,
): Promise<readonly V3Pool[]> {
  const at = asOf(snapshot, to);
  const rows = await at.prepared<{ pool: number }>(poolsOfOwnersText(at.fold), [
    ...[accounts.join(","), String(from.block), String(to.block)],
  ]);
  return poolsNumbered(
    at,
    rows.map(({ pool }) => pool),
  );
}
