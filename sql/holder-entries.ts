// All holders of a token at the end of a block of the lake, as the JSON that GET /balances gives: DuckDB sorts and writes it.
import type { DuckDBBlobValue, DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { z } from "zod";
import { holdings } from "../core/history/histories.ts";
import { literal, rowsOf } from "./duckdb.ts";
import type { StateFiles } from "./engine.ts";
import { javascriptNumber } from "./javascript-number.ts";
import { type StatementRunner, Watch } from "./run-statement.ts";
import { unionOf } from "./tables.ts";

const address = z.string().regex(/^0x[0-9a-f]{40}$/);

/** What the gateway sends. */
export const entriesBody = z.strictObject({
  token: address,
  block: z.number().int().min(0),
  decimals: z.number().int().min(0).max(77),
  /** Contracts that are no accounts. */
  without: z.array(address),
});

export type EntriesRequest = z.infer<typeof entriesBody>;

const NOBODY = "0x0000000000000000000000000000000000000000";
const ENTRIES_PER_PIECE = 1_000;
/** Of fewer holders PostgreSQL's answer is there sooner. */
const FEWEST_HOLDERS = 20_000;

/** SELECT text of (account, amount); amounts are decimal digits. */
function rowsText({ closed, open }: StateFiles["paths"], { token, block, without }: EntriesRequest): string {
  const ofToken = `ledger = 'erc20' and token = ${literal(token)} and from_block <= ${block}`;
  const others = [NOBODY, ...without].map(literal).join(", ");
  const part = (path: string, more: string) =>
    `select account, amount from read_parquet(${literal(path)}) where ${ofToken}${more} and account not in (${others})`;
  return unionOf([
    ...(closed === undefined ? [] : [part(closed, ` and to_block > ${block}`)]),
    ...(open === undefined ? [] : [part(open, "")]),
  ]);
}

/** SELECT text of pieces: entries one after the other, a comma before each, those with most first and then by account. */
function piecesText(paths: StateFiles["paths"], request: EntriesRequest): string {
  const entry = `',{"account":"' || account || '","total":' || digits || ',"sources":[{"source":"balance","value":' || digits
    || '}],"expanded":"balance: ' || digits || '"}'`;
  return `
    select encode(string_agg(${entry}, '' order by place)) as piece
      from (select account, ${javascriptNumber("x", "text")} as digits, row_number() over () - 1 as place
              from (select account, x, x::varchar as text
                      from (select account, amount, (amount || 'e-${request.decimals}')::double as x
                              from (${rowsText(paths, request)}))
                     -- nearly all are told apart by their doubles
                     order by x desc, length(amount) desc, amount desc, account))
     group by place // ${ENTRIES_PER_PIECE} order by place // ${ENTRIES_PER_PIECE}`;
}

/** What was counted of a file stays so. */
const MOST_COUNTS = 10_000;

/** Answers whole lists of holders from the lake. */
export class HolderEntries {
  readonly #runner: StatementRunner;
  readonly #fewest: number;
  readonly #counts = new Map<string, number>();

  /** `fewest`: lists of fewer are left to PostgreSQL. */
  constructor(runner: StatementRunner, fewest = FEWEST_HOLDERS) {
    this.#runner = runner;
    this.#fewest = fewest;
  }

  /**
   * The pieces; undefined where the lake does not have the block, or too few hold the token. When this resolves all is read,
   * and the files are still those that were verified.
   * @throws SqlLimitError, SqlUnavailableError, and what DuckDB says of a file that it cannot read
   */
  async pieces(request: EntriesRequest, signal: AbortSignal): Promise<Iterable<Uint8Array> | undefined> {
    const { engine } = this.#runner;
    const files = await engine.stateFiles(holdings, request.block);
    if (files === undefined) return undefined;
    const connection = await engine.connect();
    const watch = new Watch(this.#runner, connection, signal);
    try {
      if ((await this.#count(connection, files, request.token)) < this.#fewest) return undefined;
      const result = await connection.stream(piecesText(files.paths, request));
      const chunks = await result.fetchAllChunks();
      // a token that was found broken a moment ago is not in the files any more: that nobody holds it is not for them to say
      const isEmpty = chunks.every(({ rowCount }) => rowCount === 0);
      return !isEmpty && (await files.areVerified()) ? bytesOf(chunks) : undefined;
    } catch (error) {
      throw watch.reason ?? error;
    } finally {
      watch.end();
      connection.closeSync();
    }
  }

  /** Who holds the token at the end of the segment: about as many as at any block of it. */
  async #count(connection: DuckDBConnection, { paths: { open } }: StateFiles, token: string): Promise<number> {
    if (open === undefined) return 0;
    const key = `${open} ${token}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const [row] = await rowsOf<{ holders: number }>(
      connection,
      `select count(*)::integer as holders from read_parquet(${literal(open)}) where ledger = 'erc20' and token = ${literal(token)}`,
    );
    const holders = row?.holders ?? 0;
    if (this.#counts.size >= MOST_COUNTS) this.#counts.clear();
    this.#counts.set(key, holders);
    return holders;
  }
}

function* bytesOf(chunks: readonly DuckDBDataChunk[]): Generator<Uint8Array, undefined> {
  for (const chunk of chunks) {
    const column = chunk.getColumnVector(0);
    for (let at = 0; at < chunk.rowCount; at += 1) yield (column.getItem(at) as DuckDBBlobValue).bytes;
  }
  return undefined;
}
