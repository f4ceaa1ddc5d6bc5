// What the protocols say together, level by level: who is there to hold some assets, who is there to hold what these
// issued, and so on; and the way back from there.
import { LONGEST_PATH } from "../../core/lookthrough/attribute.ts";
import type { Backing, Issuer } from "../../core/lookthrough/backing.ts";
import { everyText } from "../backing/ledger-texts.ts";
import {
  type Behind,
  type Custodian,
  type IssuedAsset,
  type LookThroughContext,
  type OpenProtocol,
  tokenOfAsset,
} from "../backing/protocol.ts";
import { type BrokenLedgers, brokenLedgers, stopping } from "../backing/stopped.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { protocols } from "./registry.ts";

/** Every protocol that the chain has, at a block. */
export async function openAll(context: LookThroughContext, point: BlockPoint): Promise<OpenProtocol[]> {
  const open: OpenProtocol[] = [];
  let broken: Promise<BrokenLedgers> | undefined;
  const readBroken = () => (broken ??= brokenLedgers(asOf(context.snapshot, point)));
  for (const protocol of protocols) {
    const opened = await protocol.open(context, point);
    if (opened) open.push(stopping(opened, readBroken));
  }
  return open;
}

/** Contracts that are no accounts where `asset` (an id) is held, though accounts otherwise. */
export const custodiansOf = (open: readonly OpenProtocol[], asset: string): Address[] =>
  open.flatMap(({ custodians = [] }) =>
    custodians.filter((one) => one.asset === asset).map(({ contract }) => contract),
  );

/**
 * SELECT text of (address bytea) over $1, the block: every contract that is no account, or none where `asset` (an id) is held.
 * Undefined where there are none.
 */
export const issuersText = (fold: string, open: readonly OpenProtocol[], asset?: string): string | undefined =>
  [
    ...open.flatMap(({ issuerKind }) => (issuerKind === undefined ? [] : everyText(fold, issuerKind))),
    ...open.flatMap(({ issuerAddresses }) => issuerAddresses ?? []),
    ...(asset === undefined ? [] : custodiansOf(open, asset)).map(
      (address) => `select decode('${address.slice(2)}', 'hex')`,
    ),
  ].join(" union all ") || undefined;

/** Issuers with their backings, and every asset that these name. */
interface IssuedLevels {
  issuers: Map<string, Issuer>;
  assets: Map<string, IssuedAsset>;
}

/**
 * Everyone who is there to hold one of `leaves` (ids), everyone who is there to hold what these issued, and so on. With
 * `issuersAmong` only what some issuer holds is followed, and all who hold something are among the issuers.
 */
export async function readIssued(
  open: readonly OpenProtocol[],
  leaves: readonly string[],
  issuersAmong?: (accounts: readonly string[]) => Promise<readonly string[]>,
): Promise<IssuedLevels> {
  const issuers = new Map<string, Issuer>(
    open.flatMap(({ custodians = [] }) => custodians.map((one) => [one.contract, custodianIssuer(one)] as const)),
  );
  const assets = new Map<string, IssuedAsset>();
  let frontier = leaves;
  for (let level = 0; frontier.length > 0 && level < LONGEST_PATH; level++) {
    const fresh: IssuedAsset[] = [];
    for (const issued of await Promise.all(open.map((protocol) => protocol.issuedAgainst(frontier)))) {
      for (const issuer of issued.issuers) issuers.set(issuer.address, merged(issuers.get(issuer.address), issuer));
      for (const asset of issued.assets) {
        if (!assets.has(asset.id)) fresh.push(asset);
        assets.set(asset.id, asset);
      }
    }
    frontier = await followed(fresh, issuersAmong && { issuers, issuersAmong });
  }
  return { issuers, assets };
}

const custodianIssuer = ({ contract, asset, reason }: Custodian): Issuer => ({
  address: contract,
  backings: new Map([[asset, { claims: [], reserves: [], remainder: reason }]]),
  isAccountOtherwise: true,
});

/** Ids of those assets that may stand behind more; their holders that are issuers are made known. */
async function followed(
  assets: readonly IssuedAsset[],
  found:
    | { issuers: Map<string, Issuer>; issuersAmong: (accounts: readonly string[]) => Promise<readonly string[]> }
    | undefined,
): Promise<string[]> {
  if (!found) return assets.map(({ id }) => id);
  const holders: string[] = [];
  for (const { holdings } of assets) for (const { account } of holdings) holders.push(account);
  const among = new Set(await found.issuersAmong(holders));
  for (const address of among)
    if (!found.issuers.has(address)) found.issuers.set(address, { address, backings: new Map() });
  if (among.size === 0) return [];
  return assets.filter(({ holdings }) => holdings.some(({ account }) => among.has(account))).map(({ id }) => id);
}

const merged = (before: Issuer | undefined, { address, backings }: Issuer): Issuer => ({
  address,
  backings: new Map<string, Backing>([...(before?.backings ?? []), ...backings]),
});

/** What may stand behind `held` (ids), to the end: through which contracts, and which tokens it comes to. */
export async function readBehind(
  open: readonly OpenProtocol[],
  held: readonly string[],
): Promise<{ contracts: Set<Address>; tokens: Set<Address> }> {
  const contracts = new Set<Address>();
  const found = new Set<string>();
  let frontier = [...new Set(held)];
  for (let level = 0; frontier.length > 0 && level < LONGEST_PATH; level++) {
    const behind: Behind[] = [];
    for (const protocol of open) behind.push(...(await protocol.behind(frontier)));
    for (const { contract } of behind) contracts.add(contract);
    frontier = [...new Set(behind.flatMap(({ assets }) => assets))].filter((asset) => !found.has(asset));
    for (const asset of frontier) found.add(asset);
  }
  return { contracts, tokens: new Set([...found].flatMap((asset) => tokenOfAsset(asset) ?? [])) };
}

/** Beyond this many accounts it is cheaper to read every issuer than to send them all. */
const MOST_SENT = 2_000;

/** Those of `accounts` that are contracts of {@link issuersText}. */
export async function readIssuersAmong(
  at: AsOf,
  issuerAddresses: string | undefined,
  accounts: readonly string[],
): Promise<Address[]> {
  if (issuerAddresses === undefined || accounts.length === 0) return [];
  const block = String(at.point.block);
  const all = `select distinct '0x' || encode(i.address, 'hex') as address from (${issuerAddresses}) i(address)`;
  if (accounts.length > MOST_SENT) {
    const issuers = new Set(await readMany(at.prepared, { text: all, parameters: [block] }, ["address"]));
    return [...new Set(accounts.filter((account) => issuers.has(account)))] as Address[];
  }
  const distinct = [...new Set(accounts)];
  const rows = await at.prepared<{ address: Address }>(
    `${all} join (select decode(substr(a, 3), 'hex') as address from unnest(string_to_array($2, ',')) a) wanted
       on wanted.address = i.address`,
    [block, distinct.join(",")],
  );
  return rows.map(({ address }) => address);
}
