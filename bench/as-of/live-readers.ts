// Many readers at once, first on a quiet index, then while blocks are written and folded. Every answer is checked against
// the block that it names; the checks come after the readers are done, so that they take none of their time.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../machine/project-root.ts";
import { FOLD_SCHEMA, type Ground, PONDER_SCHEMA, type RunningGateway, startGateway } from "./ground.ts";
import { get, keepAlive } from "./http-client.ts";
import { type AnsweredRequest, findWrong, type Holdings, isRefusal, type Truth } from "./live-answers.ts";
import type { LiveWorld } from "./live-transfers.ts";
import type { LiveNews, LiveOrder } from "./live-writer.ts";
import { distinctOn } from "./peers/plain-history.ts";
import { HOT, WARM } from "./sizes.ts";

export interface ReadersRun {
  when: "quiet" | "live";
  readers: number;
  /** Times of lists of accounts at the newest block. */
  listMs: number[];
  /** Times of all holders of the warm token, at the newest block or an old one. */
  wholeMs: number[];
  wrong: string[];
  /** 503s because the fold was too far behind the newest block; their times are not included above. */
  refused: number;
  blocksWritten: number;
}

export interface ReadersOptions {
  readers: number;
  requestsEach: number;
  transfersPerBlock: number;
  everyMs: number;
}

const LISTED = 50;
/** The richest of a token, but never more than this part of its holders: none of them runs out. */
const LIVE_ACCOUNTS = 1_000;
const LIVE_SHARE = 0.25;
const OLD_BLOCKS = 5;
/** One in this many questions is for all holders. */
const WHOLE_EVERY = 4;
const NEWEST = "99999999999";

async function readTruth(ground: Ground, transfersPerBlock: number): Promise<Truth> {
  const { db, head, hot, warm } = ground;
  const holdingsAt = async (token: number, block: number): Promise<Holdings> => {
    const rows = await db.unsafe<{ account: Buffer; amount: string }[]>(distinctOn(token, block));
    return new Map(rows.map(({ account, amount }) => [`0x${account.toString("hex")}`, BigInt(amount)]));
  };
  const atHead = { hot: await holdingsAt(HOT, head), warm: await holdingsAt(WARM, head) };
  const old = new Map<number, Holdings>();
  for (let i = 1; i <= OLD_BLOCKS; i++) {
    const block = Math.round((head * i) / (OLD_BLOCKS + 1));
    old.set(block, await holdingsAt(WARM, block));
  }
  const richest = (held: Holdings) =>
    [...held]
      .sort(([, a], [, b]) => (a < b ? 1 : -1))
      .slice(0, Math.min(LIVE_ACCOUNTS, Math.ceil(held.size * LIVE_SHARE)))
      .map(([account]) => account);
  const tokens = [
    { address: hot, accounts: richest(atHead.hot) },
    { address: warm, accounts: richest(atHead.warm) },
  ];
  return { world: { tokens, transfersPerBlock }, head, ...atHead, old };
}

export async function measureReaders(ground: Ground, options: ReadersOptions): Promise<ReadersRun[]> {
  const truth = await readTruth(ground, options.transfersPerBlock);
  const gateway = await startGateway(ground);
  try {
    await readAll({ ground, gateway, truth }, { ...options, requestsEach: 3 });
    const quiet = await runReaders({ ground, gateway, truth }, { when: "quiet", ...options });
    const writer = startWriter(ground, truth.world, options.everyMs);
    try {
      await writer.firstBlock;
      const live = await runReaders({ ground, gateway, truth }, { when: "live", ...options });
      return [quiet, { ...live, blocksWritten: writer.written() }];
    } finally {
      await writer.stop();
    }
  } finally {
    await gateway.stop();
  }
}

interface Place {
  ground: Ground;
  gateway: RunningGateway;
  truth: Truth;
}

async function runReaders(
  place: Place,
  { when, ...options }: ReadersOptions & { when: ReadersRun["when"] },
): Promise<ReadersRun> {
  const all = await readAll(place, options);
  const answered = all.filter((one) => !isRefusal(one));
  const msOf = (kind: AnsweredRequest["kind"]) =>
    answered.filter((one) => one.kind === kind).map(({ answer }) => answer.ms);
  const wrong = findWrong(place.truth, answered);
  const times = { listMs: msOf("list"), wholeMs: msOf("whole") };
  return { when, readers: options.readers, ...times, wrong, refused: all.length - answered.length, blocksWritten: 0 };
}

async function readAll({ ground, gateway, truth }: Place, options: ReadersOptions): Promise<AnsweredRequest[]> {
  const agent = keepAlive(options.readers);
  const answered: AnsweredRequest[] = [];
  const accounts = [...truth.hot.keys()];
  const live = truth.world.tokens[0]?.accounts ?? [];
  const oldBlocks = [...truth.old.keys()];
  const ask = async (reader: number, turn: number): Promise<AnsweredRequest> => {
    const n = turn * options.readers + reader;
    if (n % WHOLE_EVERY === 0) {
      // every other one of these is about an old block
      const wanted = n % (2 * WHOLE_EVERY) === 0 ? oldBlocks[(n / (2 * WHOLE_EVERY)) % oldBlocks.length] : undefined;
      const answer = await get(`${gateway.url}/balances/${ground.warm}?blockNumber=${wanted ?? NEWEST}`, agent);
      return { kind: "whole", users: [], wanted, answer };
    }
    // half of the accounts change live
    const users = Array.from({ length: LISTED }, (_, i) => {
      const from = i % 2 === 0 ? live : accounts;
      return from[(n * 7919 + i * 104_729) % from.length] ?? "";
    });
    const distinct = [...new Set(users)];
    const url = `${gateway.url}/balances/${ground.hot}?blockNumber=${NEWEST}&users=${distinct.join(",")}`;
    return { kind: "list", users: distinct, wanted: undefined, answer: await get(url, agent) };
  };
  const read = async (reader: number) => {
    for (let turn = 0; turn < options.requestsEach; turn++) answered.push(await ask(reader, turn));
  };
  await Promise.all(Array.from({ length: options.readers }, (_, reader) => read(reader)));
  agent.destroy();
  return answered;
}

/** The process of live-writer.ts; its log is `.tidemark/bench/as-of-writer.log`. */
function startWriter({ databaseUrl, head }: Ground, world: LiveWorld, everyMs: number) {
  const child = fork(join(projectRoot, "bench/as-of/live-writer.ts"), [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const log = createWriteStream(join(projectRoot, ".tidemark/bench/as-of-writer.log"));
  child.stdout?.pipe(log);
  child.stderr?.pipe(log, { end: false });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit");
  let last = head;
  const firstBlock = new Promise<void>((resolve, reject) => {
    child.on("message", (news) => {
      last = (news as LiveNews).block;
      resolve();
    });
    ended.then(() => reject(new Error("the live writer ended; see .tidemark/bench/as-of-writer.log")), reject);
  });
  const order: LiveOrder = { databaseUrl, ponderSchema: PONDER_SCHEMA, foldSchema: FOLD_SCHEMA, world, head, everyMs };
  child.send(order);
  return {
    firstBlock,
    written: () => last - head,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}
