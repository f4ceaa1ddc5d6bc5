// Who stands behind the contracts that hold a token at a block: loads what the recursion of core/ needs, level by level.
import { type Attribution, attribute } from "../../core/lookthrough/attribute.ts";
import type { Holding } from "../../core/lookthrough/backing.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { amountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { Overlay } from "../ledger/overlay.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { issuersText, openAll, readIssued, readIssuersAmong } from "./issued.ts";
import { fewIssuers } from "./kept-issuers.ts";
import { tokenAsset } from "./protocol.ts";
import type { HeldAs } from "./source.ts";

export { openAll, readIssued } from "./issued.ts";

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** A token at a block, located. */
export interface HeldToken {
  token: Address;
  point: BlockPoint;
  place: HoldingsPoint;
  overlay: Overlay;
}

export interface LookedThrough extends Attribution {
  /** SELECT text of (address bytea): contracts that are no accounts. Undefined where there are none. */
  issuerAddresses: string | undefined;
  /** What each asset at the end of a part's path is to its holder. */
  heldAs: ReadonlyMap<string, HeldAs>;
  /** Issuers whose holding of the token cannot be told apart. */
  incomplete: readonly Address[];
}

const NOTHING: Attribution = { parts: new Map(), unattributed: [], shortfalls: [] };

/**
 * Attributes what issuers hold of the token. With `whole` also what issuers hold that are not there to hold it and what
 * the zero address holds, so that parts, unattributed and plain accounts sum up to the supply; that looks at all
 * holders.
 * @throws UnavailableError while an issuer cannot be told yet
 */
export function lookThrough(
  context: OperationContext,
  held: HeldToken,
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough> {
  const { snapshot } = context;
  const { token, point } = held;
  return kept.of({ snapshot, point, about: aboutOf({ token, isWhole }) }, () => workOut(context, held, { isWhole }));
}

/** The same if it is known already. */
export const knownLookThrough = (
  at: { index: string; point: BlockPoint },
  about: { token: Address; isWhole: boolean },
): LookedThrough | undefined => kept.known({ ...at, about: aboutOf(about) });

const aboutOf = ({ token, isWhole }: { token: Address; isWhole: boolean }): string =>
  `${token} ${isWhole ? "whole" : "parts"}`;

/** Pages of one answer, and the same question about a block that many ask about. */
const kept = keepAnswers<LookedThrough>({ most: 200_000, weigh: ({ parts, heldAs }) => 10 + parts.size + heldAs.size });

async function workOut(
  context: OperationContext,
  held: HeldToken,
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough> {
  const at = asOf(context.snapshot, held.point);
  const open = await openAll(context, held.point);
  const issuerAddresses = issuersText(open);
  const leaf = tokenAsset(held.token);
  const all = await fewIssuers(context.snapshot, at, issuerAddresses);
  const issuersAmong = async (accounts: readonly string[]) =>
    all ? accounts.filter((account) => all.has(account)) : readIssuersAmong(at, issuerAddresses, accounts);
  const { issuers, assets } = await readIssued(open, [leaf], issuersAmong);
  const holdings = await readIssuersHoldings(at, held, {
    issuerAddresses: isWhole ? issuerAddresses : undefined,
    declared: [...issuers.values()].filter(({ backings }) => backings.has(leaf)).map(({ address }) => address),
  });
  if (isWhole) holdings.push(...(await readZeroAddress(at, held)));
  if (holdings.length === 0) return { ...NOTHING, issuerAddresses, heldAs: new Map(), incomplete: [] };
  const heldAs = new Map<string, HeldAs>();
  for (const asset of assets.values()) heldAs.set(asset.id, asset.heldAs);
  const others = await issuersAmong(holdings.map(({ account }) => account));
  for (const address of others) if (!issuers.has(address)) issuers.set(address, { address, backings: new Map() });
  const attribution = attribute({ leaf: { id: leaf, holdings }, issuers, assets });
  return { ...attribution, issuerAddresses, heldAs, incomplete: stoppedOf(attribution) };
}

/** Contracts whose holding cannot be told apart. */
export const stoppedOf = ({ unattributed }: Attribution): Address[] => {
  const stopped = unattributed.filter(({ reason }) => reason === "stopped");
  return [...new Set(stopped.map(({ contract }) => contract as Address))].sort();
};

type HoldingRow = { account: Address; amount: string };
const toHolding = ({ account, amount }: HoldingRow): Holding => ({ account, amount: BigInt(amount) });

const asHoldings = (text: string) =>
  `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) h`;

/** What issuers hold of the token: all of them with `issuerAddresses`, else the declared ones. */
async function readIssuersHoldings(
  at: AsOf,
  { place, overlay }: HeldToken,
  among: { issuerAddresses: string | undefined; declared: readonly Address[] | readonly string[] },
): Promise<Holding[]> {
  if (among.issuerAddresses !== undefined) {
    const { text, parameters } = holdersAt(place, overlay);
    const issuers = `${asHoldings(text)} where account in (${among.issuerAddresses})`;
    return (await at.rows<HoldingRow>(issuers, parameters)).map(toHolding);
  }
  if (among.declared.length === 0) return [];
  const { text, parameters } = amountsAt(place, overlay, among.declared);
  return (await at.rows<HoldingRow>(`${asHoldings(text)} where amount > 0`, parameters)).map(toHolding);
}

async function readZeroAddress(at: AsOf, { place, overlay }: HeldToken): Promise<Holding[]> {
  const { text, parameters } = amountsAt(place, overlay, [ZERO_ADDRESS]);
  return (await at.rows<HoldingRow>(`${asHoldings(text)} where amount > 0`, parameters)).map(toHolding);
}
