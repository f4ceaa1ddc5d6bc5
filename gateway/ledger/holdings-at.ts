// SQL text of "who held how much of an asset at the end of a block". Every text yields (account bytea, amount numeric).
import { rowsOfGroup } from "../../core/history/as-of.ts";
import { holdings } from "../../core/history/histories.ts";
import { rowOfKey } from "../history/row-of-key.ts";
import type { Overlay } from "./overlay.ts";

export interface HoldingsPoint {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** Undefined when the token has appeared above the watermark only. */
  assetId: number | undefined;
  block: number;
  watermark: number;
}

export interface Statement {
  text: string;
  parameters: string[];
}

const NOBODY = "decode('0000000000000000000000000000000000000000', 'hex')";

/** Overlay accounts and deltas as two comma-separated parameters, $1 and $2. */
const overlayParameters = (overlay: Overlay): string[] => [overlay.accounts.join(","), overlay.deltas.join(",")];
const overlayRows = `
  select decode(substr(account, 3), 'hex') as account, delta::numeric as delta
    from unnest(string_to_array($1, ','), string_to_array($2, ',')) as o(account, delta)`;

/** What everybody has of the asset at `block` <= watermark, the zero address too; amounts above zero. */
export const everyAmount = (point: Omit<HoldingsPoint, "watermark">): string => foldedAmounts(point, () => "true");

const foldedAmounts = (
  { fold, assetId, block }: Omit<HoldingsPoint, "watermark">,
  where: (row: string) => string,
): string =>
  rowsOfGroup(holdings, {
    ...{ fold, of: { asset: String(assetId ?? -1) }, block: String(block), where },
    select: (row) => `${row}.account, ${row}.amount`,
  });

/** All holders at the end of the block, with amounts above zero; without the zero address. */
export function holdersAt(point: HoldingsPoint, overlay: Overlay): Statement {
  if (point.block <= point.watermark || overlay.accounts.length === 0) {
    const folded = { ...point, block: Math.min(point.block, point.watermark) };
    return { text: foldedAmounts(folded, (row) => `${row}.account <> ${NOBODY}`), parameters: [] };
  }
  return {
    text: `
      select account, amount from (
        select coalesce(c.account, o.account) as account, coalesce(c.amount, 0) + coalesce(o.delta, 0) as amount
          from (${everyAmount({ ...point, block: point.watermark })}) c
          full join (${overlayRows}) o on o.account = c.account) h
       where amount > 0 and account <> ${NOBODY}`,
    parameters: overlayParameters(overlay),
  };
}

/**
 * One row (place, account, amount) per asked account, zero included; `place` counts from 1 in asked order. Every account is
 * sought by its key.
 */
export function amountsAt(point: HoldingsPoint, overlay: Overlay, accounts: readonly string[]): Statement {
  const { fold, assetId, block, watermark } = point;
  const held = rowOfKey(holdings, {
    ...{ fold, block: String(Math.min(block, watermark)), select: (row) => `${row}.amount` },
    key: { asset: String(assetId ?? -1), account: "u.account" },
  });
  const asked = `(select place, decode(substr(account, 3), 'hex') as account
    from unnest(string_to_array($3, ',')) with ordinality as u(account, place)) u`;
  // The parameters of an unused overlay are still given types.
  const unused = `(select $1::text, $2::text) as unused`;
  const parameters = [...overlayParameters(overlay), accounts.join(",")];
  if (block > watermark)
    return {
      text: `
        select u.place, u.account, coalesce(c.amount, 0) + coalesce(o.delta, 0) as amount
          from ${asked}
          left join lateral (${held}) c on true
          left join (${overlayRows}) o on o.account = u.account`,
      parameters,
    };
  return {
    text: `
      select u.place, u.account, coalesce(c.amount, 0) as amount
        from ${unused}, ${asked} left join lateral (${held}) c on true`,
    parameters,
  };
}

/** The same of beneficiaries only: the zero address is nobody's account and has 0. */
export function accountsAt(point: HoldingsPoint, overlay: Overlay, accounts: readonly string[]): Statement {
  const { text, parameters } = amountsAt(point, overlay, accounts);
  return {
    text: `select place, account, case when account = ${NOBODY} then 0 else amount end as amount from (${text}) asked`,
    parameters,
  };
}
