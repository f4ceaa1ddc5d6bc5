// What is asked, and how often: the mix of questions, each drawn again for every request.
import type { RelativeRequest } from "../fuzz/sample-values.ts";
import { type HeldToken, quoteOf, type World } from "./learn.ts";

export type Random = () => number;

export interface Question {
  name: string;
  /** Share of all requests, in percent. */
  percent: number;
  draw(random: Random): RelativeRequest;
  /** Statuses that count as answers, besides 200. */
  lawful?: readonly string[];
}

/** Shares of the questions that can name a block: about the newest one, and about any block; the rest is about snapshots. */
const NEWEST = 0.5;
const ANY = 0.02;
/** Number of old blocks that many ask about, such as the last one of each day. */
const SNAPSHOTS = 20;
const BEYOND_HEAD = 99_999_999_999;

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

const some = <T>(random: Random, items: readonly T[], count: number): T[] =>
  Array.from({ length: Math.min(count, items.length) }, () => pick(random, items));

const get = (path: string): RelativeRequest => ({ method: "GET", path, headers: {} });
const post = (path: string, body: object): RelativeRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const BALANCES = `query ($token: Address!, $block: BlockInput, $users: [Address!]) {
  balances(token: $token, block: $block, users: $users) {
    block { number } nodes { account total totalDecimal sources { source value } } } }`;
const POOLS = `query ($token: Address!, $block: BlockInput) {
  pools(token: $token, first: 20, block: $block) { nodes { address fee tick liquidity token0 token1 } } }`;
const POSITION = `query ($id: ID!, $manager: Address) {
  position(id: $id, manager: $manager) { pool owner liquidity principal0 principal1 fees0 fees1 } }`;

/** The mix over `world`; questions about things that it lacks are left out, and the others are asked more often. */
export function questionsOf(world: World): Question[] {
  const { chainId, tokens, priced, vaults, launches, swaps, pooled, positions, lastBlock } = world;
  const oldBlock = (random: Random, { firstBlock }: Pick<HeldToken, "firstBlock">): number => {
    const part = random() < ANY / (1 - NEWEST) ? random() : Math.floor(random() * SNAPSHOTS) / SNAPSHOTS;
    return firstBlock + Math.floor(part * (lastBlock - firstBlock + 1));
  };
  const block = (random: Random, from: Pick<HeldToken, "firstBlock">): number =>
    random() < NEWEST ? BEYOND_HEAD : oldBlock(random, from);
  const graphqlBlock = (random: Random, from: Pick<HeldToken, "firstBlock">): object =>
    random() < NEWEST ? { latest: true } : { number: oldBlock(random, from) };

  const balances = (count: number) => (random: Random) => {
    const token = pick(random, tokens);
    const users = count === 0 ? "" : `&users=${some(random, token.holders, count).join(",")}`;
    return get(`/balances/${token.address}?blockNumber=${block(random, token)}${users}`);
  };
  const questions: (Question & { among: readonly unknown[] })[] = [
    { name: "balances, one account", percent: 18, among: tokens, draw: balances(1) },
    { name: "balances, 50 accounts", percent: 12, among: tokens, draw: balances(50) },
    { name: "balances, all holders", percent: 8, among: tokens, draw: balances(0) },
    {
      name: "balances, 500 accounts by POST",
      percent: 4,
      among: tokens,
      draw(random) {
        const token = pick(random, tokens);
        const body = { blockNumber: block(random, token), users: some(random, token.holders, 500) };
        return post(`/balances/${token.address}`, body);
      },
    },
    {
      name: "tokens, 10 prices",
      percent: 8,
      among: priced,
      draw: (random) =>
        get(`/tokens?addresses=${some(random, priced, 10).join(",")}&blockNumber=${block(random, world)}`),
    },
    {
      name: "vaults, a page",
      percent: 4,
      among: vaults,
      draw: (random) => get(`/vaults?chainId=${chainId}&limit=20&offset=${Math.floor((random() * vaults.length) / 2)}`),
    },
    { name: "vault", percent: 4, among: vaults, draw: (random) => get(`/vaults/${pick(random, vaults)}`) },
    {
      name: "launch, a page",
      percent: 6,
      among: launches,
      draw: (random) => get(`/launch/${chainId}/tokens?limit=20&page=${1 + Math.floor(random() * 2)}`),
    },
    // 404: no route takes the whole amount
    { name: "router quote", percent: 10, among: swaps, lawful: ["404"], draw: (random) => drawQuote(world, random) },
    {
      name: "GraphQL balances, 10 accounts",
      percent: 10,
      among: tokens,
      draw(random) {
        const token = pick(random, tokens);
        const users = some(random, token.holders, 10);
        return post("/graphql", {
          query: BALANCES,
          variables: { token: token.address, block: graphqlBlock(random, token), users },
        });
      },
    },
    {
      name: "GraphQL pools",
      percent: 6,
      among: pooled,
      draw: (random) =>
        post("/graphql", {
          query: POOLS,
          variables: { token: pick(random, pooled), block: graphqlBlock(random, world) },
        }),
    },
    {
      name: "GraphQL position",
      percent: 6,
      among: positions,
      draw: (random) => post("/graphql", { query: POSITION, variables: pick(random, positions) }),
    },
    { name: "status", percent: 4, among: [1], draw: () => get("/status") },
  ];
  const there = questions.filter(({ among }) => among.length > 0);
  return ofHundred(there.map(({ among: _, ...question }) => question));
}

/** The same proportions, scaled so that the shares add up to 100 percent. */
export function ofHundred(questions: readonly Question[]): Question[] {
  const whole = questions.reduce((sum, { percent }) => sum + percent, 0);
  return questions.map((question) => ({ ...question, percent: (question.percent * 100) / whole }));
}

/** Amounts over six orders of magnitude. */
function drawQuote(world: World, random: Random): RelativeRequest {
  const swap = pick(random, world.swaps);
  const amount = `${1 + Math.floor(random() * 999)}${"0".repeat(6 + Math.floor(random() * 6))}`;
  return quoteOf(world, { ...swap, amount });
}

/** One of the questions, as often as its percentage says. */
export function drawQuestion(random: Random, questions: readonly Question[]): Question {
  let place = random() * questions.reduce((sum, { percent }) => sum + percent, 0);
  for (const question of questions) {
    place -= question.percent;
    if (place < 0) return question;
  }
  return pick(random, questions.slice(-1));
}
