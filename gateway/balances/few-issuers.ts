// All contracts that do not count as accounts at a block, where there are few enough to be looked up here.
import { hash } from "node:crypto";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, placeOfThings } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";

/** With more, the database decides for the accounts in question, one by one. */
const FEW = 2_000;
const NONE: ReadonlySet<string> = new Set();

const issuersOfBlock = question<ReadonlySet<string>>("issuers");
/** Whether the index has more. */
const isCrowded = question<true>("issuers-are-many");
const CROWDED = { at: FINAL, key: "" };

/** Contracts that are no accounts where a token is held. */
export interface IssuerListing {
  /** SELECT text of (address bytea) over $1, the block. Undefined: none. */
  issuerAddresses: string | undefined;
  /** Identifies the text: texts are long, and there are few, as some tokens have issuers of their own. */
  issuersDigest: string;
}

export const listingOf = (issuerAddresses: string | undefined): IssuerListing => ({
  issuerAddresses,
  issuersDigest: hash("sha1", issuerAddresses ?? "", "base64"),
});

/** Undefined where there are many. */
export async function fewIssuers(
  { cache }: Snapshot,
  at: Pick<AsOf, "prepared" | "point">,
  { issuerAddresses, issuersDigest }: IssuerListing,
): Promise<ReadonlySet<string> | undefined> {
  if (issuerAddresses === undefined) return NONE;
  const place = placeOfThings(at.point, issuersDigest, [changing.v3Pools, changing.islands, changing.listed]);
  if (cache.get(isCrowded, CROWDED)) return undefined;
  const issuers = await cache.of(issuersOfBlock, place, async () => {
    const text = `select distinct '0x' || encode(i.address, 'hex') as address from (${issuerAddresses}) i(address)
      limit ${FEW + 1}`;
    return new Set(await readMany(at.prepared, { text, parameters: [String(at.point.block)] }, ["address"]));
  });
  if (issuers.size <= FEW) return issuers;
  cache.set(isCrowded, CROWDED, true);
  return undefined;
}
