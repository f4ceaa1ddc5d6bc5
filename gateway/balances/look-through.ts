// Who stands behind the contracts that hold a token at a block: loads what the recursion of core/ needs, level by level.
import { type Attribution, attribute, type Unattributed } from "../../core/lookthrough/attribute.ts";
import type { Holding, Issuer, Lookthrough } from "../../core/lookthrough/backing.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { HeldAs } from "../backing/held-as.ts";
import { type LedgerAt, ledgerAt } from "../backing/ledger-at.ts";
import { type IssuedAsset, tokenAsset } from "../backing/protocol.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import { amountsAt, type HoldingsPoint, holdersAt } from "../history/holdings-at.ts";
import type { BlockPoint } from "../history/point.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { fewIssuers, type IssuerListing, listingOf } from "./few-issuers.ts";
import { issuersText, openAll, readIssued, readIssuersAmong } from "./issued.ts";

/** A token at a block, as `LocatedToken` has them. */
export interface TokenAtBlock {
  token: Pick<TokenState, "address" | "assetId">;
  point: BlockPoint;
}

/** Where the token's holdings are read. */
export const holdingsPoint = (
  { token: { assetId }, point: { block } }: TokenAtBlock,
  { snapshot: { fold } }: OperationContext,
): HoldingsPoint => ({ fold, assetId, block });

export interface LookedThrough extends Attribution, IssuerListing {
  /** What each asset at the end of a part's path is to its holder. */
  heldAs: ReadonlyMap<string, HeldAs>;
  /** Issuers whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly Address[];
}

const NOTHING: Attribution = { parts: new Map(), unattributed: [], shortfalls: [] };

/**
 * Attributes what issuers hold of the token. With `isWhole` also what issuers hold that are not there to hold it and what
 * the zero address holds, so that parts, unattributed and plain accounts sum up to the supply; that reads all holders.
 * @throws UnavailableError while an issuer's state is not known yet
 */
export function lookThrough(
  context: OperationContext,
  held: TokenAtBlock,
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough> {
  const { cache, state } = context.snapshot;
  // more may be known about a contract once it is read from the chain
  const { revision } = state;
  const place = { at: held.point.hash, key: `${held.token.address} ${isWhole ? "whole" : "parts"}`, revision };
  return cache.of(attributions, place, () => workOut(context, held, { isWhole }));
}

const attributions = question<LookedThrough>("look-through");

async function workOut(
  context: OperationContext,
  held: TokenAtBlock,
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough> {
  const at = asOf(context.snapshot, held.point);
  const open = await openAll(context, held.point);
  const leaf = tokenAsset(held.token.address);
  const listing = listingOf(issuersText(at.fold, open, leaf));
  const { issuerAddresses } = listing;
  const all = await fewIssuers(context.snapshot, at, listing);
  const issuersAmong = async (accounts: readonly string[]) =>
    all ? accounts.filter((account) => all.has(account)) : readIssuersAmong(at, issuerAddresses, accounts);
  const { issuers, assets } = await readIssued(open, [leaf], issuersAmong);
  const holdings = isWhole
    ? await readAllHoldings(at, holdingsPoint(held, context), issuerAddresses)
    : await readDeclared(ledgerAt(context, held.point), held, issuers);
  const others = await issuersAmong(holdings.map(({ account }) => account));
  for (const address of others) if (!issuers.has(address)) issuers.set(address, { address, backings: new Map() });
  const attribution = attributed({ leaf: { id: leaf, holdings }, issuers, assets });
  return {
    ...attribution,
    ...listing,
    heldAs: heldAsOf(attribution, assets),
    incomplete: incompleteOf(attribution),
  };
}

const attributed = (input: Lookthrough): Attribution => (input.leaf.holdings.length === 0 ? NOTHING : attribute(input));

function heldAsOf({ parts }: Attribution, assets: ReadonlyMap<string, IssuedAsset>): Map<string, HeldAs> {
  const heldAs = new Map<string, HeldAs>();
  for (const ofAccount of parts.values())
    for (const { path } of ofAccount) {
      const end = path.at(-1) ?? "";
      const asset = heldAs.has(end) ? undefined : assets.get(end);
      if (asset) heldAs.set(end, asset.heldAs);
    }
  return heldAs;
}

/** Reasons that leave the contract's own state unknown. */
export const UNKNOWN_STATE_REASONS: ReadonlySet<string> = new Set(["stopped", "waiting", "undetermined"]);

interface WithUnattributed {
  unattributed: readonly Pick<Unattributed, "contract" | "reason">[];
}

/** Contracts whose holding cannot be attributed to accounts. */
export const incompleteOf = ({ unattributed }: WithUnattributed): Address[] => {
  const incomplete = unattributed.filter(({ reason }) => UNKNOWN_STATE_REASONS.has(reason));
  return [...new Set(incomplete.map(({ contract }) => contract as Address))].sort();
};

type HoldingRow = { account: Address; amount: string };
const toHolding = ({ account, amount }: HoldingRow): Holding => ({ account, amount: BigInt(amount) });

const asHoldings = (text: string) =>
  `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) h`;

/** What issuers hold of the token that are there to hold it. */
async function readDeclared(
  ledger: LedgerAt,
  { token: { address: token } }: TokenAtBlock,
  issuers: ReadonlyMap<string, Issuer>,
): Promise<Holding[]> {
  const declaring = [...issuers.values()].filter(({ backings }) => backings.has(tokenAsset(token)));
  const accounts = declaring.map(({ address }) => address);
  const amounts = await ledger.amounts(accounts.map((account) => ({ kind: "erc20", key: token, account })));
  return accounts.map((account, i) => ({ account, amount: amounts[i] ?? 0n })).filter(({ amount }) => amount > 0n);
}

/** What issuers and the zero address hold of the token. */
async function readAllHoldings(
  at: AsOf,
  place: HoldingsPoint,
  issuerAddresses: string | undefined,
): Promise<Holding[]> {
  const zero = amountsAt(place, [ZERO_ADDRESS]);
  const rows = await at.rows<HoldingRow>(`${asHoldings(zero.text)} where amount > 0`, zero.parameters);
  if (issuerAddresses === undefined) return rows.map(toHolding);
  const { text, parameters } = holdersAt(place);
  const issuers = `${asHoldings(text)} where account in (${issuerAddresses})`;
  return [...(await at.rows<HoldingRow>(issuers, parameters)), ...rows].map(toHolding);
}
