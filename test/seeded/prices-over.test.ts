// Prices at many blocks at once against the book of each block, for every token that ever has a price: to the last digit, along
// the same pools. PRICE_BLOCKS=200 compares more, PRICE_SEED another choice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type Operation, RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { type BlockPoint, pointOf } from "../../gateway/history/point.ts";
import type { Address } from "../../gateway/parameters.ts";
import type { TokenPrice } from "../../gateway/prices/price.ts";
import { pricesAt } from "../../gateway/prices/price-book.ts";
import { pricesOver } from "../../gateway/prices/prices-over.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded } from "./seeded-index.ts";

const BLOCKS = Number(process.env.PRICE_BLOCKS ?? 12);
const SEED = process.env.PRICE_SEED ?? "prices over";
const { head, finalized } = seeded;

let gateway: TestGateway;
beforeAll(() => {
  gateway = openSeededGateway();
});
afterAll(() => gateway.close());

type Book = ReadonlyMap<Address, TokenPrice>;

async function run<Output>(work: Operation<readonly number[], Output>["run"], blocks: readonly number[]) {
  const scope = new RequestScope(gateway.service);
  try {
    const opened: typeof work = async (input, context) => {
      await context.snapshot.open();
      return work(input, context);
    };
    return await scope.run({ name: "test", run: opened }, blocks);
  } finally {
    await scope.close();
  }
}

test("prices at many blocks are those of every block's own book", async () => {
  const random = seedRandom(SEED);
  const drawn = Array.from({ length: BLOCKS }, () => random.between(1, head - 1));
  // neighbours share most of their half hours
  const near = drawn.slice(0, 3).map((block) => block + 1);
  const blocks = [...new Set([...drawn, ...near, finalized, finalized + 1, head])].sort((a, b) => a - b);
  const started = performance.now();
  const { points, books, tokens } = await run(async (numbers, context) => {
    const found: { point: BlockPoint; book: Book }[] = [];
    for (const number of numbers) {
      const choice = blockNumbered(number);
      const point = await pointOf(context, choice);
      found.push({ point, book: await pricesAt(context, point, "all") });
    }
    return {
      points: found.map(({ point }) => point),
      books: found.map(({ book }) => book),
      tokens: [...new Set(found.flatMap(({ book }) => [...book.keys()]))],
    };
  }, blocks);
  const booked = performance.now();
  const traded = tokens.filter((token) => books.some((book) => book.get(token)?.strategy === "pool")).slice(0, 1);
  await run((_, context) => pricesOver(context, points, traded), blocks);
  const together = performance.now();
  const over = await run((_, context) => pricesOver(context, points, tokens), blocks);
  const counts: Record<string, number> = {};
  for (const [i, { block }] of points.entries()) {
    const book = books[i] as Book;
    const byToken = (prices: Book) => new Map([...prices].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(byToken(over.get(block) ?? new Map()), `block ${block}`).toEqual(byToken(book));
    for (const { strategy } of book.values()) counts[strategy] = (counts[strategy] ?? 0) + 1;
  }
  console.log(`PRICE_SEED=${SEED}: blocks ${blocks.join(" ")}; ${JSON.stringify(counts)} of ${tokens.length} tokens`);
  const [each, all] = [booked - started, together - booked].map((ms) => ms.toFixed());
  console.log(`${points.length} blocks: book by book ${each} ms, a token that pools price at all of them ${all} ms`);
  for (const strategy of ["fixed", "pool", "vault", "curve"])
    expect(counts[strategy] ?? 0, strategy).toBeGreaterThan(3);
});
