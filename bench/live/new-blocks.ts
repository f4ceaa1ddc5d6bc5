// Blocks as Ponder writes them while it follows a chain: rows of facts and the block's own, in one transaction.
import { blockColumn, everyFactTable } from "../../core/fact-tables.ts";
import { addressOf, type Ground, holderOf, PONDER, TOKENS } from "./ground.ts";

export interface NewBlocks {
  from: number;
  to: number;
  transfers: number;
  /** A different number for each branch. */
  branch: number;
}

/** Number of the token that the `i`th transfer of block `n` moves. */
const TOKEN = `((n * 31 + i * 7) % ${TOKENS})`;

/** Transfers between holders, now and then to a new account, rarely of a new token. */
const blocksText = ({ from, to, transfers, branch }: NewBlocks, holders: number): string => `
  insert into ${PONDER}.block (number, hash, timestamp)
  select n, '0x' || md5(n || ' ${branch}') || md5('${branch} ' || n), 1600000000 + 2 * n from generate_series(${from}, ${to}) n;
  insert into ${PONDER}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
  select n, i, i / 3, 1600000000 + 2 * n,
         case when i % 300 = 299 then ${addressOf("new token", "n")} else ${addressOf("token", TOKEN)} end,
         case when i % 300 = 299 then '0x' || repeat('0', 40)
              else ${addressOf("account", holderOf(TOKEN, `n * 13 + i * 17 + ${branch}`, holders))} end,
         case when i % 10 = 9 then ${addressOf("newcomer", "n * 1000 + i")}
              else ${addressOf("account", holderOf(TOKEN, "n * 17 + i * 23", holders))} end, 1 + i
    from generate_series(${from}, ${to}) n cross join generate_series(0, ${transfers - 1}) i`;

type Place = Pick<Ground, "ponder" | "holders">;

/** Statements sent together are one transaction. */
export async function appendBlocks({ ponder, holders }: Place, blocks: NewBlocks): Promise<void> {
  await ponder.unsafe(blocksText(blocks, holders));
}

/** Replaces Ponder's blocks from `blocks.from` on. */
export async function replaceBlocks({ ponder, holders }: Place, blocks: NewBlocks): Promise<void> {
  const deleted = everyFactTable.map(
    (table) => `delete from ${PONDER}.${table} where ${blockColumn(table)} >= ${blocks.from}`,
  );
  await ponder.unsafe(`${deleted.join(";")}; ${blocksText(blocks, holders)}`);
}
