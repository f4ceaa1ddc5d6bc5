// What is measured about a fold at the head: each phase writes blocks as Ponder would and times how the fold processes them.
import { checkpointText, FINAL, FOLD, type Ground } from "./ground.ts";
import { checkHoldings } from "./holdings-check.ts";
import { appendBlocks, replaceBlocks } from "./new-blocks.ts";
import { freshSizes, type Growth, type SizeFigures, sizesAt } from "./sizes.ts";
import { startWriter, type TurnTime, type Writer } from "./writer.ts";

/** Number of blocks that stay replaceable, and the size of the steps in which finality moves. */
const LAG = 30;

export interface LiveFigures {
  blockMs: number[];
  emptyMs: number[];
  replacedMs: number[];
  /** Turns that made blocks final. */
  mergeMs: number[];
  restartMs: number;
  /** Number of blocks of the long run. */
  longBlocks: number;
  sizes: SizeFigures[];
  fresh: SizeFigures;
  growth: Growth;
}

class Head {
  block = FINAL;
  final = FINAL;
  readonly #ground: Ground;
  readonly #settle: Writer["settle"];

  constructor(ground: Ground, settle: Writer["settle"]) {
    this.#ground = ground;
    this.#settle = settle;
  }

  async append(transfers: number): Promise<TurnTime[]> {
    this.block += 1;
    await appendBlocks(this.#ground, { from: this.block, to: this.block, transfers, branch: 0 });
    return this.#settle();
  }

  /** Finality follows in steps; resolves to the turns in which it did. */
  async finalize(): Promise<TurnTime[]> {
    if (this.block - this.final < 2 * LAG) return [];
    this.final += LAG;
    await this.#ground.ponder.unsafe(checkpointText(this.final + 1));
    return this.#settle();
  }

  async replace(blocks: number, branch: number): Promise<TurnTime[]> {
    const range = { from: this.block - blocks + 1, to: this.block };
    await replaceBlocks(this.#ground, { ...range, transfers: 300, branch });
    return this.#settle();
  }
}

const total = (times: readonly TurnTime[]): number => times.reduce((sum, { ms }) => sum + ms, 0);

/** Blocks of `transfers`, with finality; times of blocks and of the turns that made others final. */
async function follow(head: Head, { blocks, transfers }: { blocks: number; transfers: number }) {
  const times = { blockMs: [] as number[], mergeMs: [] as number[] };
  for (let i = 0; i < blocks; i += 1) {
    times.blockMs.push(total(await head.append(transfers)));
    times.mergeMs.push(...(await head.finalize()).map(({ ms }) => ms));
  }
  return times;
}

export interface LiveSetting {
  blocks: number;
  replacements: number;
  /** Number of smaller blocks, to measure what thousands of blocks leave behind. */
  longRun: number;
  longTransfers: number;
}

export async function measureLive(
  ground: Ground,
  { blocks, replacements, longRun, longTransfers }: LiveSetting,
): Promise<LiveFigures> {
  let writer = await startWriter(ground);
  const head = new Head(ground, () => writer.settle());
  const sizes = [await sizesAt(ground, head.block)];
  // during the first blocks statements are planned and all caches are empty
  await follow(head, { blocks: 20, transfers: 300 });
  const { blockMs, mergeMs } = await follow(head, { blocks, transfers: 300 });
  const { blockMs: emptyMs } = await follow(head, { blocks: 50, transfers: 0 });
  await follow(head, { blocks: 25, transfers: 300 });
  const replacedMs: number[] = [];
  for (let branch = 1; branch <= replacements; branch += 1) replacedMs.push(total(await head.replace(20, branch)));
  sizes.push(await sizesAt(ground, head.block));
  await follow(head, { blocks: longRun, transfers: longTransfers });
  sizes.push(await sizesAt(ground, head.block));
  await writer.stop();
  const started = performance.now();
  writer = await startWriter(ground);
  await head.append(300);
  const restartMs = performance.now() - started;
  await writer.stop();
  const [row] = await ground.ponder.unsafe(`select count(*)::int as n from ${FOLD}.quarantine`);
  if (row?.n !== 0) throw new Error(`${row?.n} tokens are quarantined: their transfers were not folded`);
  await checkHoldings(ground, head.block);
  const times = { blockMs, emptyMs, replacedMs, mergeMs, restartMs };
  return { ...times, longBlocks: longRun, sizes, ...(await freshSizes(ground, head.block)) };
}
