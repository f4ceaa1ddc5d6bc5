// One way from an operation's rows to an answer: validators, format, stream.
import type { Context } from "hono";
import { chainOf, RequestScope, type Service } from "../context.ts";
import { clientGone } from "../http/node-request.ts";
import type { Address } from "../parameters.ts";
import { aboutFile } from "./about-file.ts";
import { type AnswerTable, CONTENT_TYPES, parseFormat, writeTable } from "./answer-format.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { openParquet, parquetPieces } from "./parquet.ts";
import { streamEntries, streamPieces } from "./row-stream.ts";
import { chainIdOf } from "./url-parameters.ts";
import { notModified, type Subject, setValidators, strongValidators } from "./validators.ts";

interface Prepared<Row> {
  subject: Subject;
  table: AnswerTable<Row>;
  headers?: Readonly<Record<string, string>>;
  /** Contracts whose holdings are missing. */
  incomplete?: readonly Address[];
  /** Where it was asked for elsewhere than in the URL. */
  chainId?: number | undefined;
}

type Prepare<Row> = (scope: RequestScope, request: { chainId: number | undefined }) => Promise<Prepared<Row>>;

/**
 * `prepare` asks an operation through the scope and says what its rows look like. `subject.question` must hold
 * everything that decides the rows.
 */
export const answerTable = <Row>(service: Service, c: Context, prepare: Prepare<Row>): Promise<Response> =>
  answerWithin({ service, longestMs: service.longestRequestMs }, c, prepare);

/** The same; all before the first row may take `longestMs`. */
export async function answerWithin<Row>(
  { service, longestMs }: { service: Service; longestMs: number },
  c: Context,
  prepare: Prepare<Row>,
): Promise<Response> {
  const format = parseFormat(c.req.query("format"));
  const chainId = chainIdOf(c.req.query("chainId"));
  const scope = new RequestScope(service, clientGone(c), performance.now() + longestMs);
  try {
    const prepared = await prepare(scope, { chainId });
    const { subject, table, headers = {}, incomplete = [], chainId: answered = chainId } = prepared;
    const validators = strongValidators({ ...subject, question: [...subject.question, format] });
    const unmodified = notModified(c, validators);
    if (unmodified) {
      await table.batches.return?.();
      await scope.close();
      return unmodified;
    }
    const release = () => scope.close();
    const stream =
      format === "parquet"
        ? await streamParquet(
            table,
            { ...aboutFile(chainOf(service, answered), subject.located), ...texts(table.heading) },
            release,
          )
        : await streamEntries({ ...writeTable(table, format), release });
    setValidators(c, validators);
    for (const [name, value] of Object.entries(headers)) if (value !== "") c.header(name, value);
    setIncomplete(c, incomplete);
    const type = { "content-type": CONTENT_TYPES[format] };
    // The server drops the body of a HEAD answer without cancelling it.
    if (c.req.method === "HEAD") {
      await stream.cancel();
      return c.body(null, 200, type);
    }
    return c.body(stream, 200, { ...type, "transfer-encoding": "chunked" });
  } catch (error) {
    await scope.close();
    throw error;
  }
}

const texts = (heading: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(heading).map(([name, value]) => [name, textOf(value ?? "")]));

const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

const streamParquet = <Row>(
  { columns, batches }: AnswerTable<Row>,
  about: Readonly<Record<string, string>>,
  release: () => Promise<void>,
): Promise<ReadableStream<Uint8Array>> =>
  streamPieces({
    ...{ opening: "", closing: "", separator: "", release },
    pieces: parquetPieces(batches, openParquet(columns, about)),
  });
