// The entries of a whole balances answer from the history lake, written by the SQL process. They are the bytes that PostgreSQL's
// rows give: whatever goes wrong before or in the middle of them, PostgreSQL's take their place from that byte on.
import { type IncomingMessage, request } from "node:http";
import { lakeAnswers } from "../metrics/instruments.ts";

export interface LakeRequest {
  chain: { chainId: number; name: string };
  /** 0x address, lower case. */
  token: string;
  /** A final one. */
  block: number;
  decimals: number;
  /** Contracts that are no accounts. */
  without: ReadonlySet<string>;
}

/** Bytes, fetched as they are taken. */
export type Pieces = AsyncIterator<Uint8Array>;

interface Limits {
  /** Between two pieces, and before the first. */
  silenceMs: number;
  /** After a failure nothing is tried for so long. */
  pauseMs: number;
}

const LIMITS: Limits = { silenceMs: 3_000, pauseMs: 5_000 };
/** An answer may take its client so long: nobody takes what comes later. */
const LONGEST_ANSWER_MS = 60_000;

export class LakeEntries {
  readonly #urls: ReadonlyMap<number, string>;
  readonly #limits: Limits;
  /** By chain id and `performance.now()`. */
  readonly #pausedUntil = new Map<number, number>();

  /** `urls`: of the SQL process of each chain that has one. */
  constructor(urls: ReadonlyMap<number, string>, limits: Partial<Limits> = {}) {
    this.#urls = urls;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * JSON entries, a comma before each, those with most first and then by account; undefined where `otherwise` has to give all of them. It
   * gives the same bytes, and is called when the lake's break off.
   */
  async pieces(wanted: LakeRequest, otherwise: () => Promise<Pieces>): Promise<Pieces | undefined> {
    const { chainId, name } = wanted.chain;
    const url = this.#urls.get(chainId);
    if (url === undefined) return undefined;
    const note = (outcome: string) => lakeAnswers.inc({ chain: name, outcome });
    const fail = (outcome: string) => {
      this.#pausedUntil.set(chainId, performance.now() + this.#limits.pauseMs);
      note(outcome);
    };
    if (performance.now() < (this.#pausedUntil.get(chainId) ?? 0)) {
      note("paused");
      return undefined;
    }
    try {
      const response = await this.#send(url, wanted);
      if (response.statusCode === 200) return mended(this.#bytesOf(response), { otherwise, note, fail });
      response.resume();
      const refusal = { 404: "absent", 429: "busy" }[response.statusCode ?? 0];
      if (refusal === undefined) fail("failed");
      else note(refusal);
    } catch {
      fail("failed");
    }
    return undefined;
  }

  #send(url: string, { token, block, decimals, without }: LakeRequest): Promise<IncomingMessage> {
    const body = JSON.stringify({ token, block, decimals, without: [...without] });
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
      const headers = { "content-type": "application/json" };
      const sent = request(`${url}/entries`, { method: "POST", agent: false, headers, signal });
      const silence = setTimeout(() => sent.destroy(new Error("the lake is silent")), this.#limits.silenceMs);
      const settle = <T>(use: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(silence);
          use(value);
        };
      };
      sent.once("response", settle(resolve)).on("error", settle(reject)).end(body);
    });
  }

  /** @throws Error where they do not come to their end, or not in time */
  async *#bytesOf(response: IncomingMessage): AsyncGenerator<Uint8Array, undefined> {
    const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const silence = setTimeout(() => response.destroy(new Error("the lake is silent")), this.#limits.silenceMs);
        const next = await chunks.next().finally(() => clearTimeout(silence));
        if (next.done) break;
        yield next.value;
      }
    } finally {
      if (!response.complete) response.destroy();
    }
    if (!response.complete) throw new Error("the lake's answer broke off");
    return undefined;
  }
}

interface Mending {
  otherwise: () => Promise<Pieces>;
  note(outcome: string): void;
  fail(outcome: string): void;
}

async function* mended(
  lake: AsyncGenerator<Uint8Array, undefined>,
  { otherwise, note, fail }: Mending,
): AsyncGenerator<Uint8Array, undefined> {
  let given = 0;
  try {
    for await (const piece of lake) {
      given += piece.length;
      yield piece;
    }
    note("lake");
    return undefined;
  } catch {
    fail("mended");
  }
  yield* after(await otherwise(), given);
  return undefined;
}

/** What comes after the first `given` bytes. */
async function* after(pieces: Pieces, given: number): AsyncGenerator<Uint8Array, undefined> {
  let skipped = 0;
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const start = Math.min(given - skipped, next.value.length);
      skipped += start;
      if (start < next.value.length) yield next.value.subarray(start);
    }
  } finally {
    await pieces.return?.();
  }
  return undefined;
}
