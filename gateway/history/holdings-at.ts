// SQL text of "who held how much of an asset at the end of a block", which yields (account bytea, amount numeric); and of what an account
// may hold.
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { rowOfKey } from "./row-of-key.ts";

export interface HoldingsPoint {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** Undefined for a token without any event: nobody holds it. */
  assetId: number | undefined;
  block: number;
}

export interface Statement {
  text: string;
  parameters: string[];
}

/** As accounts are stored: the zero address, which no holder is. */
export const NOBODY: string = `decode('${ZERO_ADDRESS.slice(2)}', 'hex')`;

/** Parameters of every statement made here, so that texts stay the same from block to block. */
export const BLOCK = "$1::int4";
const ASSET = "$2::int4";

const parametersOf = ({ block, assetId }: HoldingsPoint): string[] => [String(block), String(assetId ?? -1)];

/** `asset`, `block`: SQL of int4. All holders at the end of the block, with amounts above zero; without the zero address. */
export const holdersText = ({ fold, asset, block }: { fold: string; asset: string; block: string }): string =>
  rowsOfGroup(holdings, {
    fold,
    of: { asset },
    block,
    where: (row) => `${row}.account <> ${NOBODY}`,
    select: (row) => `${row}.account, ${row}.amount`,
  });

/** {@link holdersText} at the point. */
export const holdersAt = (point: HoldingsPoint): Statement => ({
  text: holdersText({ fold: point.fold, asset: ASSET, block: BLOCK }),
  parameters: parametersOf(point),
});

/**
 * One row (place, account, amount) per account of `accounts`, zero included; `place` counts from 1 in their order. Every
 * account is sought by its key.
 */
export function amountsAt(point: HoldingsPoint, accounts: readonly string[]): Statement {
  const held = rowOfKey(holdings, {
    fold: point.fold,
    block: BLOCK,
    select: (row) => `${row}.amount`,
    key: { asset: ASSET, account: "u.account" },
  });
  return {
    text: `
      select u.place, u.account, coalesce(c.amount, 0) as amount
        from (select place, decode(substr(account, 3), 'hex') as account
                from unnest(string_to_array($3, ',')) with ordinality as u(account, place)) u
        left join lateral (${held}) c on true`,
    parameters: [...parametersOf(point), accounts.join(",")],
  };
}

/** The same of beneficiaries only: the zero address is nobody's account and has 0. */
export function accountsAt(point: HoldingsPoint, accounts: readonly string[]): Statement {
  const { text, parameters } = amountsAt(point, accounts);
  return {
    text: `select place, account, case when account = ${NOBODY} then 0 else amount end as amount from (${text}) a`,
    parameters,
  };
}

/** SELECT text of (asset): the assets that the account has ever had some of; `account` and `block` are SQL expressions. Some may be such as it gets after `block` only. */
export const assetsOfAccount = (fold: string, { account, block }: { account: string; block: string }): string => `
  select asset from ${fold}.holder where account = ${account}
  union
  select asset from ${fold}.holding_recent where account = ${account} and block <= ${block}`;
