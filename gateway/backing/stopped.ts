// Contracts of which it is not known who holds their shares or stakes, as the ledger of these is impossible, or what they owe beyond what
// they have staked on: nobody can say whose is what the contract holds. Until the break is final the ledger stays as it was before,
// after that it is gone at every block.
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Backing, Issuer } from "../../core/lookthrough/backing.ts";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import { type AsOf, placeOfThings } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type OpenProtocol, tokenAsset } from "./protocol.ts";

/** What is held by a contract that has stopped. */
export const STOPPED: Backing = { claims: [], reserves: [], remainder: "stopped" };

interface Break {
  /** The one that shows it. */
  block: number;
  /** The first block of which the ledger cannot be relied on: the same until it is final, then the very first. */
  since: number;
}

/** Ids of the tokens and stakes whose ledger cannot be relied on at a block. */
export type BrokenLedgers = ReadonlyMap<string, Break>;

const brokenOfBlock = question<BrokenLedgers>("broken-ledgers");

/** All final blocks have the same, until the next break is final. */
const placeOf = (point: BlockPoint) =>
  point.block <= point.finalized ? { at: FINAL, key: "" } : placeOfThings(point, "", [changing.broken]);

/** At the block of `at`; the same as `isBrokenAt` says of each. */
export function brokenLedgers({ fold, point, cache, prepared }: AsOf): Promise<BrokenLedgers> {
  const text = `
    select a.kind || ':0x' || encode(a.key, 'hex') as asset, q.block,
           case when q.block <= $2::int4 then 0 else q.block end as since
      from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset
     where a.kind in ('erc20', '${STAKE}') and q.block <= greatest($1::int4, $2::int4)`;
  return cache.of(brokenOfBlock, placeOf(point), async () => {
    const parameters = [String(point.block), String(point.finalized)];
    const many = await readMany(prepared, { text, parameters }, ["asset", "block", "since"]);
    const broken = new Map<string, Break>();
    for (let i = 0; i + 2 < many.length; i += 3)
      broken.set(many[i] as string, { block: Number(many[i + 1]), since: Number(many[i + 2]) });
    return broken;
  });
}

/** Ids of those that broke by the end of `block`. */
export const brokenBy = (broken: BrokenLedgers, block: number): ReadonlySet<string> =>
  new Set([...broken].flatMap(([id, one]) => (one.block <= block ? [id] : [])));

/** Those of `tokens` whose ledger cannot be relied on at the block of `at`. */
export async function brokenTokens(at: AsOf, tokens: readonly Address[]): Promise<Set<Address>> {
  if (tokens.length === 0) return new Set();
  const broken = await brokenLedgers(at);
  return new Set(tokens.filter((token) => broken.has(tokenAsset(token))));
}

/** The first block from which on nobody can say whose `backing` is; undefined: there is none. */
export function stopOf({ claims, needs = [] }: Backing, broken: BrokenLedgers): number | undefined {
  let stop = Number.POSITIVE_INFINITY;
  const takeIn = (asset: string) => {
    stop = Math.min(stop, broken.get(asset)?.since ?? stop);
  };
  for (const { asset } of claims) takeIn(asset);
  needs.forEach(takeIn);
  return Number.isFinite(stop) ? stop : undefined;
}

/** The protocol, with contracts stopped whose shares or stakes have a ledger that `read` finds broken. */
export const stopping = (protocol: OpenProtocol, read: () => Promise<BrokenLedgers>): OpenProtocol => ({
  ...protocol,
  async issuedAgainst(held) {
    const [{ issuers, assets }, broken] = await Promise.all([protocol.issuedAgainst(held), read()]);
    return { issuers: broken.size === 0 ? issuers : issuers.map((issuer) => stopped(issuer, broken)), assets };
  },
});

const stopped = (issuer: Issuer, broken: BrokenLedgers): Issuer => ({
  ...issuer,
  backings: new Map(
    [...issuer.backings].map(([asset, backing]) => [asset, stopOf(backing, broken) === undefined ? backing : STOPPED]),
  ),
});
