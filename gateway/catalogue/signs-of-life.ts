// What the processes around an index have written down of themselves and of the chain: one statement for all of it, as it is read
// with every `/status`.
import { isoText } from "../database/state.ts";
import { type BloomRow, bloomsText } from "./blooms.ts";
import { HAS_LAKE, type LakeStatus, lakeText } from "./lake-status.ts";
import { type PartRow, partsText } from "./parts.ts";
import { type PrunedRow, prunedText } from "./pruned-history.ts";

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
export interface SignsPlace {
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
