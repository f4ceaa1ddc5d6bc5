// All contracts that are no accounts at a block, where they are few enough to be looked up here.
import { hash } from "node:crypto";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { AsOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";

/** Of more the database decides for the accounts in question, one by one. */
const FEW = 2_000;
const NONE: ReadonlySet<string> = new Set();

const issuersOfBlock = question<ReadonlySet<string>>("issuers");
/** Whether the index has more. */
const isCrowded = question<true>("issuers-are-many");
const CROWDED = { at: FINAL, key: "" };

/** `issuerAddresses`: see `LookedThrough`. Undefined where there are many. */
export async function fewIssuers(
  { cache }: Snapshot,
  at: Pick<AsOf, "rows" | "point">,
  issuerAddresses: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (issuerAddresses === undefined) return NONE;
  // texts are long, and few: some tokens have issuers of their own
  const place = { at: at.point.hash, key: hash("sha1", issuerAddresses, "base64") };
  const stored = cache.get(issuersOfBlock, place);
  if (stored || cache.get(isCrowded, CROWDED)) return stored;
  const text = `select distinct '0x' || encode(i.address, 'hex') as address from (${issuerAddresses}) i(address)
    limit ${FEW + 1}`;
  const issuers = new Set(await readMany(at, { text }, ["address"]));
  if (issuers.size > FEW) {
    cache.set(isCrowded, CROWDED, true);
    return undefined;
  }
  cache.set(issuersOfBlock, place, issuers);
  return issuers;
}
