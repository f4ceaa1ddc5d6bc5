// Who stands behind the contracts that hold a token at a block: loads what the recursion of core/ needs, level by level.
import DataLoader from "dataloader";
import { type Attribution, attribute } from "../../core/lookthrough/attribute.ts";
import type { Holding, Issuer, Lookthrough } from "../../core/lookthrough/backing.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { amountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { Overlay } from "../ledger/overlay.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import type { Address } from "../parameters.ts";
import type { HeldAs } from "./held-as.ts";
import { issuersText, openAll, readIssued, readIssuersAmong } from "./issued.ts";
import { fewIssuers } from "./kept-issuers.ts";
import { type LedgerAt, ledgerAt } from "./ledger-at.ts";
import { type IssuedAsset, tokenAsset } from "./protocol.ts";

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
  return kept.of({ snapshot, point, about: aboutOf({ token, isWhole }) }, async () => {
    const [through] = await workOut(context, [held], { isWhole });
    return through as LookedThrough;
  });
}

/** The same if it is known already. */
export const knownLookThrough = (
  at: { index: string; point: BlockPoint },
  about: { token: Address; isWhole: boolean },
): LookedThrough | undefined => kept.known({ ...at, about: aboutOf(about) });

/** The same, or what somebody is working out just now. */
export async function soonLookThrough(
  snapshot: Snapshot,
  at: { index: string; point: BlockPoint },
  about: { token: Address; isWhole: boolean },
): Promise<LookedThrough | undefined> {
  const known = knownLookThrough(at, about);
  return known ?? kept.underWay({ ...at, about: aboutOf(about) }, snapshot)?.catch(() => undefined);
}

const aboutOf = ({ token, isWhole }: { token: Address; isWhole: boolean }): string =>
  `${token} ${isWhole ? "whole" : "parts"}`;

/** Pages of one answer, and the same question about a block that many ask about. */
const kept = keepAnswers<LookedThrough>({
  most: 150_000,
  mostAnswers: 1_000,
  weigh: ({ parts, heldAs }) => 10 + parts.size + heldAs.size,
});

/**
 * Those of many tokens at one block, without what is behind nobody: contracts that stand behind several are read once.
 * In the order of `held`. @throws what {@link lookThrough} throws of any of them
 */
export function lookThroughAll(context: OperationContext, held: readonly HeldToken[]): Promise<LookedThrough[]> {
  const { snapshot } = context;
  const together = new DataLoader<HeldToken, LookedThrough>((tokens) => workOut(context, tokens, { isWhole: false }), {
    cache: false,
  });
  return Promise.all(
    held.map((one) => {
      const about = aboutOf({ token: one.token, isWhole: false });
      return kept.of({ snapshot, point: one.point, about }, () => together.load(one));
    }),
  );
}

/** `held`: at one block. */
async function workOut(
  context: OperationContext,
  held: readonly HeldToken[],
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough[]> {
  const [first] = held;
  if (!first) return [];
  const at = asOf(context.snapshot, first.point);
  const open = await openAll(context, first.point);
  const issuerAddresses = issuersText(open);
  const all = await fewIssuers(context.snapshot, at, issuerAddresses);
  const issuersAmong = async (accounts: readonly string[]) =>
    all ? accounts.filter((account) => all.has(account)) : readIssuersAmong(at, issuerAddresses, accounts);
  const leaves = held.map(({ token }) => tokenAsset(token));
  const { issuers, assets } = await readIssued(open, leaves, issuersAmong);
  const holdings = isWhole
    ? await Promise.all(held.map((one) => readAllHoldings(at, one, issuerAddresses)))
    : await readDeclared(await ledgerAt(context, first.point), held, issuers);
  const others = await issuersAmong(holdings.flat().map(({ account }) => account));
  for (const address of others) if (!issuers.has(address)) issuers.set(address, { address, backings: new Map() });
  return leaves.map((id, i) => {
    const attribution = attributed({ leaf: { id, holdings: holdings[i] ?? [] }, issuers, assets });
    const heldAs = heldAsOf(attribution, assets);
    return { ...attribution, issuerAddresses, heldAs, incomplete: stoppedOf(attribution) };
  });
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

/** Contracts whose holding cannot be told apart. */
export const stoppedOf = ({ unattributed }: Attribution): Address[] => {
  const stopped = unattributed.filter(({ reason }) => reason === "stopped");
  return [...new Set(stopped.map(({ contract }) => contract as Address))].sort();
};

type HoldingRow = { account: Address; amount: string };
const toHolding = ({ account, amount }: HoldingRow): Holding => ({ account, amount: BigInt(amount) });

const asHoldings = (text: string) =>
  `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) h`;

/** What issuers hold of each token that are there to hold it. */
async function readDeclared(
  ledger: LedgerAt,
  held: readonly HeldToken[],
  issuers: ReadonlyMap<string, Issuer>,
): Promise<Holding[][]> {
  const declared = new Map(held.map(({ token }): [string, string[]] => [tokenAsset(token), []]));
  for (const { address, backings } of issuers.values())
    for (const asset of backings.keys()) declared.get(asset)?.push(address);
  return Promise.all(
    held.map(async ({ token }) => {
      const accounts = declared.get(tokenAsset(token)) ?? [];
      const amounts = await ledger.amounts(accounts.map((account) => ({ kind: "erc20", key: token, account })));
      return accounts.map((account, i) => ({ account, amount: amounts[i] ?? 0n })).filter(({ amount }) => amount > 0n);
    }),
  );
}

/** What issuers and the zero address hold of the token. */
async function readAllHoldings(
  at: AsOf,
  { place, overlay }: HeldToken,
  issuerAddresses: string | undefined,
): Promise<Holding[]> {
  const zero = amountsAt(place, overlay, [ZERO_ADDRESS]);
  const rows = await at.rows<HoldingRow>(`${asHoldings(zero.text)} where amount > 0`, zero.parameters);
  if (issuerAddresses === undefined) return rows.map(toHolding);
  const { text, parameters } = holdersAt(place, overlay);
  const issuers = `${asHoldings(text)} where account in (${issuerAddresses})`;
  return [...(await at.rows<HoldingRow>(issuers, parameters)), ...rows].map(toHolding);
}
