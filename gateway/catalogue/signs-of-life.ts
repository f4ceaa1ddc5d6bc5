// What the processes around an index have written down of themselves and of the chain: one statement for all of it, as it is read
// with every `/status`.

import { literal } from "../../core/sql-literal.ts";
import { isoText } from "../database/state.ts";
import { type PartRow, partsText } from "./parts.ts";

/** The node's head, as Ponder's process polled it last. */
export interface ReportedHead {
  block: number;
  rpcError: string | null;
  /** ISO 8601, by the database's clock. */
  at: string;
  /** Since then. */
  seconds: number;
}

export interface SignsOfLife {
  reported: ReportedHead | null;
  /** Null: they are checked. */
  blooms: BloomRow | null;
  parts: PartRow[];
  pruned: PrunedRow[];
  lake: LakeStatus | null;
}

/** Of which chain, and of which fold's schema, quoted; undefined: none can be read. */
interface SignsPlace {
  chainId: number;
  fold: string | undefined;
}

const reportedText = (chainId: number): string => `
  select chain_head as block, rpc_error as "rpcError", ${isoText("updated_at")} as at,
         extract(epoch from now() - updated_at)::float8 as seconds
    from tidemark.chain_head where chain_id = ${chainId}`;

const one = (text: string): string => `(select row_to_json(r) from (${text}) r)`;
const all = (text: string): string => `(select coalesce(json_agg(r), '[]') from (${text}) r)`;

const signsText = ({ chainId, fold }: SignsPlace): string => `
  select ${one(reportedText(chainId))} as reported, ${one(bloomsText(chainId))} as blooms, ${all(partsText(chainId))} as parts,
         ${all(prunedText(fold ?? ""))} as pruned, ${HAS_LAKE} as "hasLake"`;

/** `rows` reads a text without parameters, always the same of one index. */
export async function readSignsOfLife(
  rows: <Row extends object>(text: string) => Promise<Row[]>,
  place: SignsPlace,
): Promise<SignsOfLife> {
  const [found] = await rows<Omit<SignsOfLife, "lake"> & { hasLake: boolean }>(signsText(place));
  if (!found) throw new Error("one row was to come, and none came");
  const { hasLake, ...signs } = found;
  const [lake = null] = hasLake ? await rows<LakeStatus>(lakeText(place.chainId)) : [];
  return { ...signs, lake };
}

/** The writer of the history lake (lake/lake-life.ts). */
export interface LakeStatus {
  /** It gave a sign of life within the last seconds. */
  isRunning: boolean;
  /** The last block of what it has written. */
  block: number | null;
  writtenAt: string | null;
  /** When it last gave a sign of life. */
  heardAt: string;
  /** What it is waiting for and cannot go on without. */
  waitsFor: string | null;
  /** The error that ended it last; null once it has gone on since. */
  error: string | null;
}

/** SQL of whether a writer has ever run beside this database: a text that names a missing table would end a transaction. */
const HAS_LAKE = "to_regclass('tidemark.lake') is not null";

/** SELECT text of a {@link LakeStatus}. */
const lakeText = (chainId: number): string => `
  select due_at > now() as "isRunning", last_block as block, ${isoText("written_at")} as "writtenAt",
         ${isoText("heard_at")} as "heardAt", waits_for as "waitsFor", error
    from tidemark.lake where chain_id = ${chainId}`;

/** Whether the blocks' blooms prove that the node's logs are complete: Ponder's process records where they do not. */
export interface BloomStatus {
  /** False: the receipts alone do. */
  areChecked: boolean;
  /** Why not; null while they are. */
  reason: string | null;
  /** The last block where this was found; null where a setting turns the check off. */
  block: number | null;
  /** ISO 8601. */
  since: string | null;
}

interface BloomRow {
  reason: string;
  block: number | null;
  since: string;
}

/** SELECT text of the {@link BloomRow} of a chain whose blooms are not checked. */
const bloomsText = (chainId: number): string => `
  select reason, block, ${isoText("since")} as since from tidemark.unproven_blooms where chain_id = ${chainId}`;

export const bloomsOf = (row: BloomRow | null): BloomStatus => ({
  areChecked: row === null,
  reason: row?.reason ?? null,
  block: row?.block ?? null,
  since: row?.since ?? null,
});

/** What an operator has pruned from PostgreSQL, and what of it is loaded from the history lake at the moment. */
export interface PrunedHistory {
  /** States at the ends of blocks below it are answered from the lake. */
  below: number;
  /** States at the ends of these blocks can be answered at once, in order of blocks. */
  loaded: { first: number; last: number; rows: number; since: string }[];
}

interface PrunedRow {
  first: number;
  last: number;
  rows: number;
  /** When it was loaded again; null: it is not. */
  since: string | null;
}

/** SELECT text of {@link PrunedRow}s, in order of blocks; `fold` is the quoted name of the fold's schema. */
const prunedText = (fold: string): string => `
  select greatest(p.first, 0) as first, p.last, p.rows::float8 as rows, ${isoText("p.loaded_at")} as since
    from tidemark.pruned p where p.fold = ${literal(fold)} order by p.first`;

/** Null where nothing is pruned. */
export function prunedOf(ranges: readonly PrunedRow[]): PrunedHistory | null {
  const newest = ranges.at(-1);
  if (newest === undefined) return null;
  const loaded = ranges.flatMap(({ since, ...range }) => (since === null ? [] : [{ ...range, since }]));
  return { below: newest.last + 1, loaded };
}
