// Who stands behind the contracts that hold a token at a block: loads what the recursion of core/ needs, level by level.
import { type Attribution, attribute, LONGEST_PATH } from "../../core/lookthrough/attribute.ts";
import type { Backing, Holding, Issuer } from "../../core/lookthrough/backing.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { amountsAt, type HoldingsPoint, holdersAt } from "../ledger/holdings-at.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { Overlay } from "../ledger/overlay.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { type IssuedAsset, type OpenProtocol, tokenAsset } from "./protocol.ts";
import { protocols } from "./registry.ts";
import type { HeldAs } from "./source.ts";

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
  /** What each asset of the parts' paths is to its holder. */
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
  const about = `${held.token} ${isWhole ? "whole" : "parts"}`;
  return kept.of({ snapshot, point: held.point, about }, () => workOut(context, held, { isWhole }));
}

/** Pages of one answer, and the same question about a block that many ask about. */
const kept = keepAnswers<LookedThrough>({ most: 200_000, weigh: ({ parts, heldAs }) => 10 + parts.size + heldAs.size });

async function workOut(
  context: OperationContext,
  held: HeldToken,
  { isWhole }: { isWhole: boolean },
): Promise<LookedThrough> {
  const at = asOf(context.snapshot, held.point);
  const open = await openAll(context, held.point);
  const issuerAddresses = open.map((protocol) => protocol.issuerAddresses).join(" union all ") || undefined;
  const leaf = tokenAsset(held.token);
  const heldAs = new Map<string, HeldAs>();
  heldAs.set(leaf, { kind: "balance", id: "", contract: held.token });
  const { issuers, assets } = await readIssued(open, [leaf]);
  const holdings = await readIssuersHoldings(at, held, {
    issuerAddresses: isWhole ? issuerAddresses : undefined,
    declared: [...issuers.values()].filter(({ backings }) => backings.has(leaf)).map(({ address }) => address),
  });
  if (isWhole) holdings.push(...(await readZeroAddress(at, held)));
  if (holdings.length === 0) return { ...NOTHING, issuerAddresses, heldAs, incomplete: [] };
  for (const { id, heldAs: as } of assets.values()) heldAs.set(id, as);
  const holders = [...assets.values()].flatMap((asset) => asset.holdings.map(({ account }) => account));
  const others = await readIssuersAmong(at, issuerAddresses, [...holders, ...holdings.map(({ account }) => account)]);
  for (const address of others) if (!issuers.has(address)) issuers.set(address, { address, backings: new Map() });
  const attribution = attribute({ leaf: { id: leaf, holdings }, issuers, assets });
  const stopped = attribution.unattributed.filter(({ reason }) => reason === "stopped");
  const incomplete = [...new Set(stopped.map(({ contract }) => contract as Address))].sort();
  return { ...attribution, issuerAddresses, heldAs, incomplete };
}

/** Every protocol that the chain has, at a block. */
export async function openAll(context: OperationContext, point: BlockPoint): Promise<OpenProtocol[]> {
  const open: OpenProtocol[] = [];
  for (const protocol of protocols) {
    const opened = await protocol.open(context, point);
    if (opened) open.push(opened);
  }
  return open;
}

/** Everyone who is there to hold one of `leaves`, everyone who is there to hold what these issued, and so on. */
export async function readIssued(
  open: readonly OpenProtocol[],
  leaves: readonly string[],
): Promise<{ issuers: Map<string, Issuer>; assets: Map<string, IssuedAsset> }> {
  const issuers = new Map<string, Issuer>();
  const assets = new Map<string, IssuedAsset>();
  let frontier = [...leaves];
  for (let level = 0; frontier.length > 0 && level < LONGEST_PATH; level++) {
    const next: string[] = [];
    for (const protocol of open) {
      const issued = await protocol.issuedAgainst(frontier);
      for (const issuer of issued.issuers) issuers.set(issuer.address, merged(issuers.get(issuer.address), issuer));
      for (const asset of issued.assets) {
        if (!assets.has(asset.id)) next.push(asset.id);
        assets.set(asset.id, asset);
      }
    }
    frontier = next;
  }
  return { issuers, assets };
}

const merged = (known: Issuer | undefined, { address, backings }: Issuer): Issuer => ({
  address,
  backings: new Map<string, Backing>([...(known?.backings ?? []), ...backings]),
});

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

/** Beyond this many accounts it is cheaper to read every issuer than to send them all. */
const MOST_SENT = 2_000;

async function readIssuersAmong(
  at: AsOf,
  issuerAddresses: string | undefined,
  accounts: readonly string[],
): Promise<Address[]> {
  if (issuerAddresses === undefined || accounts.length === 0) return [];
  const all = `select distinct '0x' || encode(i.address, 'hex') as address from (${issuerAddresses}) i(address)`;
  const asked = [...new Set(accounts)];
  if (asked.length > MOST_SENT) {
    const issuers = new Set((await at.rows<{ address: Address }>(all)).map(({ address }) => address as string));
    return asked.filter((account) => issuers.has(account)) as Address[];
  }
  const rows = await at.rows<{ address: Address }>(
    `${all} join (select decode(substr(a, 3), 'hex') as address from unnest(string_to_array($1, ',')) a) asked
       on asked.address = i.address`,
    [asked.join(",")],
  );
  return rows.map(({ address }) => address);
}
