// SQL text of "who held how much of an asset at the end of a block". Every text yields (account bytea, amount numeric).
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
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

const NOBODY = "decode('0000000000000000000000000000000000000000', 'hex')";

const amountsOfAll = ({ fold, assetId, block }: HoldingsPoint, where: (row: string) => string): string =>
  rowsOfGroup(holdings, {
    ...{ fold, of: { asset: String(assetId ?? -1) }, block: String(block), where },
    select: (row) => `${row}.account, ${row}.amount`,
  });

/** All holders at the end of the block, with amounts above zero; without the zero address. */
export const holdersAt = (point: HoldingsPoint): Statement => ({
  text: amountsOfAll(point, (row) => `${row}.account <> ${NOBODY}`),
  parameters: [],
});

/**
 * One row (place, account, amount) per account of `accounts`, zero included; `place` counts from 1 in their order. Every
 * account is sought by its key.
 */
export function amountsAt({ fold, assetId, block }: HoldingsPoint, accounts: readonly string[]): Statement {
  const held = rowOfKey(holdings, {
    ...{ fold, block: String(block), select: (row) => `${row}.amount` },
    key: { asset: String(assetId ?? -1), account: "u.account" },
  });
  return {
    text: `
      select u.place, u.account, coalesce(c.amount, 0) as amount
        from (select place, decode(substr(account, 3), 'hex') as account
                from unnest(string_to_array($1, ',')) with ordinality as u(account, place)) u
        left join lateral (${held}) c on true`,
    parameters: [accounts.join(",")],
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
