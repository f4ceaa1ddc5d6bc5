// Whether the fold's head has moved: one row, cheap enough to be polled, and what of a snapshot it is compared with.
import { isMissingTable } from "../../database/error-codes.ts";
import { quoted } from "../../fold/tables.ts";
import type { Service } from "../context.ts";
import type { IndexState } from "../database/state.ts";

/** As long as it is the same, so are the blocks and their facts: the head's number and hash, and how often blocks were taken back. */
export const headOf = ({
  head,
  lastSyncedHash,
  rewinds,
}: Pick<IndexState, "head" | "lastSyncedHash" | "rewinds">): string => `${head} ${lastSyncedHash} ${rewinds}`;

/** The head in {@link headOf}'s words; with the fork behind it where the chain has replaced final blocks. */
const headText = (fold: string, chainId: number): string => `
  select case when b.number is not null then concat_ws(' ', b.number, b.hash, m.rewinds, s.fork) end as head,
         l.fold_schema as fold
    from tidemark.live l cross join ${fold}.meta m left join ${fold}.block b on b.number = m.head
    left join tidemark.chain_stop s on s.chain_id = l.chain_id
   where l.chain_id = ${chainId}`;

/**
 * As some server has it, which need not be the one that a snapshot is of. Undefined while there is none, and when gateways have just
 * been pointed at another index: the next poll reads that.
 */
export async function polledHead({ memory, database }: Service, chainId: number): Promise<string | undefined> {
  const { fold } = await memory.schemas(chainId);
  try {
    const [row] = await database.rows<{ head: string | null; fold: string }>(headText(quoted(fold), chainId));
    if (row?.fold === fold) return row.head ?? undefined;
  } catch (error) {
    if (!isMissingTable(error)) throw error;
  }
  memory.forget(chainId);
  return undefined;
}
