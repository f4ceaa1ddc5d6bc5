// Readers that never rest: each asks /balances for some token at some block, and keeps the answer and its time.
import { setTimeout as sleep } from "node:timers/promises";
import { differenceOf, randomBlock, randomToken, type TrialToken } from "./random-reads.ts";
import type { TrialChain } from "./trial-chain.ts";

export interface ReaderTally {
  answers: number;
  /** Answers compared with the chain: all of them, except where the history does not know a block yet. */
  compared: number;
  unavailable: Map<string, number>;
  /** One line each: an answer that no branch of that moment gives, or an error that should not be. */
  wrong: string[];
  slowestMs: number;
}

export interface Readers {
  /** Call when the product is on the present branch: from now on no answer may come from an older one. */
  settled(): void;
  stop(): Promise<ReaderTally>;
}

export interface ReaderOptions {
  gatewayUrl: string;
  chain: TrialChain;
  count: number;
  /** Rest between two requests of one reader. */
  pauseMs: number;
  /** Present while parts are killed: then any 503 is permitted, and a block that is not known yet may be answered later. */
  storm?: {
    /** Whether the gateway was down at some moment of [from, to], milliseconds since the epoch. */
    wasDown(from: number, to: number): boolean;
    /** Whether it lost its database then, so that an answer being written breaks off. */
    lostDatabase(from: number, to: number): boolean;
  };
}

/** 503s that the documentation tells clients to expect: the index is not there yet. */
const DOCUMENTED = new Set(["CATCHING_UP", "INDEX_FOLDING", "STARTING", "METADATA_PENDING"]);
const MOST_NOTED = 50;

interface Reading {
  response: Response;
  text: string;
  token: TrialToken;
  wanted: number;
  from: number;
  to: number;
}

/**
 * `count` readers on random blocks and tokens, recent blocks more often, sometimes one beyond the head. They begin while the product
 * is on the present branch. A branch that is replaced then may be answered until the product is seen to have followed, however
 * late that is: delays are judged by those that cause them.
 */
export function startReaders({ gatewayUrl, chain, count, pauseMs, storm }: ReaderOptions): Readers {
  const tally: ReaderTally = { answers: 0, compared: 0, unavailable: new Map(), wrong: [], slowestMs: 0 };
  let isStopping = false;
  let settledAt = Date.now();
  const note = (line: string) => {
    if (tally.wrong.length < MOST_NOTED) tally.wrong.push(line);
  };

  const countUnavailable = (code: string) => tally.unavailable.set(code, (tally.unavailable.get(code) ?? 0) + 1);

  const judge = ({ response, text, token, wanted, from, to }: Reading): string | undefined => {
    if (response.status === 503) {
      const { code } = (JSON.parse(text) as { error: { code: string } }).error;
      countUnavailable(code);
      return storm !== undefined || DOCUMENTED.has(code) ? undefined : `block ${wanted}: 503 ${code}`;
    }
    if (response.status !== 200) return `block ${wanted}: ${response.status} ${text.slice(0, 200)}`;
    const number = Number(response.headers.get("x-block-number"));
    if (storm === undefined && number !== wanted && isMined(chain, wanted, from))
      return `asked block ${wanted}, was answered ${number}`;
    const branches = chain.history.during(number, { from, to, graceMs: Number.POSITIVE_INFINITY, settledAt });
    if (branches.length === 0) return `block ${number} was not on any branch then`;
    tally.compared += 1;
    const differences = branches.map((block) => differenceOf(text, block, token));
    return differences.includes(undefined)
      ? undefined
      : `${token.address} at block ${number}: ${differences.join(" | ")}`;
  };

  const readOnce = async (): Promise<void> => {
    const token = randomToken(chain);
    const wanted = randomBlock(chain.head());
    const from = Date.now();
    const response = await fetch(`${gatewayUrl}/balances/${token.address}?blockNumber=${wanted}`);
    const text = await response.text();
    const to = Date.now();
    tally.answers += 1;
    tally.slowestMs = Math.max(tally.slowestMs, to - from);
    const reading = { response, text, token, wanted, from, to };
    let fault = judge(reading);
    if (fault !== undefined && response.status === 200) {
      // The history may learn of a block that has just been mined later than the product.
      await sleep(HEARSAY_MS);
      fault = judge(reading);
    }
    if (fault !== undefined) note(fault);
  };

  const noteFailure = (error: unknown, from: number): void => {
    // fetch's error for a body that ends too early.
    const isBrokenOff = error instanceof Error && error.message === "terminated";
    if (storm?.wasDown(from, Date.now())) countUnavailable("no connection");
    else if (isBrokenOff && storm?.lostDatabase(from, Date.now())) countUnavailable("broken off");
    else if (!isStopping)
      note(
        `request failed: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error)}`,
      );
  };

  const loops = Array.from({ length: count }, async () => {
    while (!isStopping) {
      const from = Date.now();
      await readOnce().catch((error: unknown) => noteFailure(error, from));
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  });
  return {
    settled() {
      settledAt = Date.now();
    },
    async stop() {
      isStopping = true;
      await Promise.all(loops);
      return tally;
    },
  };
}

const HEARSAY_MS = 1_500;
/** After this long the product must have learned of a block, on a busy machine too: an older one must not be answered instead. */
const LEARNED_MS = 10_000;
const isMined = (chain: TrialChain, block: number, now: number): boolean =>
  chain.history.blocks[block]?.some(({ since }) => since < now - LEARNED_MS) ?? false;
