// What tokens were worth at the end of every hour, as the gateway's own operation works it out.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { priceDataset } from "../core/lake/datasets.ts";
import type { Segment } from "../core/lake/segments.ts";
import { quoted } from "../fold/tables.ts";
import { type Operation, RequestScope } from "../gateway/context.ts";
import { openDatabases } from "../gateway/database/database-servers.ts";
import { asOf } from "../gateway/history/as-of.ts";
import { blockNumbered } from "../gateway/history/block-choice.ts";
import { pointOf } from "../gateway/history/point.ts";
import { readTokens } from "../gateway/history/read-tokens.ts";
import { isSeenBy } from "../gateway/history/token-state.ts";
import type { PastLoader } from "../gateway/lake/lake-history.ts";
import { type PriceBook, priceBookFrom } from "../gateway/prices/price-book.ts";
import { openLastingService } from "../gateway/service.ts";
import { RemadeLedger } from "./remade-ledger.ts";

/** Something that the segment needs will be known in a moment; the message says what. */
export class NotYetError extends Error {
  override name = "NotYetError";
}

export interface TokenWorth {
  token: string;
  /** USD of one whole token, in units of 10^-36. */
  usd: bigint;
  strategy: string;
}

/** The database session in which ledgers that broke later, up to block `finalized`, were made again. */
export interface RemadeLedgers {
  db: Sql;
  finalized: number;
}

interface PricesInput extends RemadeLedgers {
  block: number;
  /** The segment's last block. */
  last: number;
}

/** The worth of all tokens that have a price at the end of a final block; undefined while some are still being read. */
export type ReadPrices = (input: PricesInput) => Promise<readonly TokenWorth[] | undefined>;

/**
 * For tokens of which an event is recorded, as everywhere; by what the chain says up to the segment's end: ledgers that broke later
 * count with all that they had. @throws NotYetError
 */
const bookAt: Operation<PricesInput, Pick<PriceBook, "prices" | "isFinal">> = {
  name: "priceBook",
  async run({ db, finalized, block, last }, context) {
    const { snapshot } = context;
    const point = await pointOf(context, blockNumbered(block));
    const [gone] = await snapshot.rows<{ block: number }>(
      `select block from ${snapshot.fold}.quarantine where block > ${finalized} and block <= ${point.finalized} limit 1`,
    );
    if (gone) throw new NotYetError(`the holdings of a ledger that broke in block ${gone.block} a moment ago`);
    const ledger = new RemadeLedger(asOf(snapshot, point), { db, last });
    const { prices, isFinal } = await priceBookFrom(context, point, { ledger, brokenUpTo: last });
    const tokens = await readTokens(context, [...prices.keys()]);
    const seen = new Set(tokens.flatMap((token) => (isSeenBy(token, block) ? [token.address] : [])));
    return { prices: new Map([...prices].filter(([token]) => seen.has(token))), isFinal };
  },
};

/** Each block is read in a state of its own, blocks that were pruned by `past`; `close` ends the connections. */
export function openPrices(
  databaseUrl: string,
  chain: ChainFile,
  past?: PastLoader,
): { read: ReadPrices; close(): Promise<void> } {
  const database = openDatabases([databaseUrl]);
  const service = openLastingService({ chains: [chain], database, ...(past ? { past } : {}) });
  return {
    async read(input) {
      const scope = new RequestScope(service);
      try {
        const { prices, isFinal } = await scope.run(bookAt, input);
        return isFinal ? [...prices].map(([token, { usd, strategy }]) => ({ token, usd, strategy })) : undefined;
      } finally {
        await scope.close();
      }
    },
    close: () => database.close(),
  };
}

/** Hours that ended with a block of the segment, in order: the one after it, which is final too, is of a later hour. */
async function hoursOf(db: Sql, fold: string, { first, last }: Segment): Promise<{ hour: number; block: number }[]> {
  const rows = await db.unsafe<{ hour: number; block: number }[]>(`
    select timestamp / 3600 * 3600 as hour, number as block
      from (select number, timestamp, lead(timestamp) over (order by number) as next
              from ${quoted(fold)}.block where number between ${first} and ${last + 1}) b
     where number <= ${last} and next / 3600 > timestamp / 3600 order by number`);
  return [...rows];
}

/**
 * Writes the prices of a segment as CSV; undefined: there are none.
 * @throws NotYetError while a price is still to come
 */
export async function writePrices(
  { db, finalized, fold, read, folder }: RemadeLedgers & { fold: string; read: ReadPrices; folder: string },
  segment: Segment,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (const { hour, block } of await hoursOf(db, fold, segment)) {
    const prices = await read({ db, finalized, block, last: segment.last });
    if (prices === undefined) throw new NotYetError(`decimals of tokens that have a price at block ${block}`);
    for (const { token, usd, strategy } of prices) lines.push(`${hour},${block},${token},${usd},${strategy}\n`);
  }
  if (lines.length === 0) return undefined;
  const file = join(folder, `${priceDataset.name}.csv`);
  await writeFile(file, lines.join(""));
  return file;
}
