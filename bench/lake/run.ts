// `npm run bench -- lake`: all holders at a block from the history lake, against PostgreSQL and ClickHouse's engine.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { toNearestDouble } from "../../gateway/numbers.ts";
import { startGateway } from "../as-of/ground.ts";
import { entriesOf, get } from "../as-of/http-client.ts";
import { DECIMALS, type Moment, momentNames, sizes } from "../as-of/sizes.ts";
import { pairs, turns } from "../as-of/turns.ts";
import { claimsOfLines, NAMED_BY_CLAIM } from "../claim.ts";
import { wholeNumber } from "../number-options.ts";
import { table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { openChdb } from "./chdb.ts";
import { writeClickHouse } from "./clickhouse.ts";
import { type Contender, type ContenderName, type Holding, openContenders } from "./contenders.ts";
import { type LakeGround, withLakeGround } from "./ground.ts";
import { answerLines, type LakeRun, sizeLines } from "./report.ts";

export const summary = "all holders at a block: the history lake against PostgreSQL, raw transfers and ClickHouse";

const options = {
  size: { type: "string", default: "S" },
  rounds: { type: "string", default: "5" },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- lake [options]
  --size S      S: 1,000,000 changes; M: 10,000,000 changes, about 180,000 holders of the hot token; XS and XXS to try
  --rounds 5    measured rounds, all contenders in each
  --port N      the database's port instead of a free one

Installs chdb, the ClickHouse engine, into .tidemark/bench when it is not there (550 MB).`;

export const smallest = ["--size", "XXS", "--rounds", "1"];

/** Prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const size = sizes[values.size];
  if (!size) throw new Error(`--size: "${values.size}" is not one of ${Object.keys(sizes).join(", ")}`);
  const rounds = wholeNumber("rounds", values.rounds);
  await session.withServer(values.port === undefined ? undefined : Number(values.port), async (server) => {
    const chdb = await openChdb(join(server.folder, "chdb"));
    try {
      await withLakeGround({ server, size, say: console.log }, async (ground) => {
        const tables = writeClickHouse(chdb, ground.folder);
        const { contenders, close } = await openContenders(ground, chdb);
        const runs = await measure(ground, contenders, rounds).finally(close);
        const bytes = { ...ground.bytes, "chdb tables": tables };
        const lines = [...answerLines(runs), ...sizeLines(bytes, ground.changes)];
        const { changes, blocks, manifest } = ground;
        const made = { changes, blocks, segments: manifest.segments.length, bytes };
        session.record(`size ${values.size}`, claimsOfLines(lines, NAMED_BY_CLAIM));
        const file = session.keepFigures({ settings: { size: values.size, rounds }, made, lines, runs });
        console.log(`\n${table(lines, NAMED_BY_CLAIM)}\n\nall figures: ${file}`);
      });
    } finally {
      chdb.close();
    }
  });
}

type Answerer = Contender | "http";

/** In turns; in the unmeasured round every answer is compared with PostgreSQL's, row by row. @throws Error naming a wrong contender */
async function measure(ground: LakeGround, contenders: readonly Contender[], rounds: number): Promise<LakeRun[]> {
  const gateway = await startGateway(ground);
  const urlAt = (block: number) => `${gateway.url}/balances/${ground.hot}?blockNumber=${block}`;
  const expected = new Map<Moment, Holding[]>();
  const runs: LakeRun[] = [];
  try {
    const everyone: Answerer[] = [...contenders, "http"];
    for (const { round, contender } of turns(pairs(momentNames, everyone), rounds)) {
      const [moment, answerer] = contender;
      const block = ground.blocks[moment];
      const started = performance.now();
      const rows = answerer === "http" ? await get(urlAt(block)) : await answerer.read(block);
      const ms = performance.now() - started;
      if (round > 0) {
        runs.push({ moment, name: nameOf(answerer), round, ms, holders: expected.get(moment)?.length ?? 0 });
        continue;
      }
      const found = "holdings" in rows ? inOrder(rows.holdings()) : entriesOf(rows).map(shown);
      const right = expected.get(moment) ?? (found as Holding[]);
      expected.set(moment, right);
      requireEqual(`${nameOf(answerer)} at block ${block}`, found, answerer === "http" ? right.map(rounded) : right);
    }
  } finally {
    await gateway.stop();
  }
  return runs;
}

const nameOf = (answerer: Answerer): ContenderName | "http" => (answerer === "http" ? "http" : answerer.name);

/** Sorted as answers are: the largest first. */
const inOrder = (holdings: readonly Holding[]): Holding[] =>
  [...holdings].sort(([one, a], [other, b]) => (a === b ? (one < other ? -1 : 1) : a > b ? -1 : 1));

const shown = ({ account, total }: { account: string; total: number }) => [account, total] as const;
const rounded = ([account, amount]: Holding) => [account, toNearestDouble(amount, DECIMALS)] as const;

type Row = readonly [account: string, amount: bigint | number];

function requireEqual(who: string, found: readonly Row[], expected: readonly Row[]): void {
  if (found.length !== expected.length) throw new Error(`${who}: ${found.length} holders, not ${expected.length}`);
  for (const [i, [account, amount]] of expected.entries())
    if (found[i]?.[0] !== account || found[i]?.[1] !== amount)
      throw new Error(`${who}: holder ${i} is ${found[i]?.join(" ")}, not ${account} ${amount}`);
}
