// The same questions in each contender's own query language, and their answers in one shape, so that all can be compared.
import { accountNumbered, TOKEN } from "./ground.ts";

export type Contender = "tidemark" | "ponder" | "postgraphile";

export interface Question {
  name: string;
  queries: Readonly<Record<Contender, string>>;
  /** Our query about an older block that has the same answer, but is not in the cache. */
  atBlock?: (block: number) => string;
  /** Rows of an answer's `data`. */
  rows: Readonly<Record<Contender, (data: never) => unknown[]>>;
}

interface Detail {
  symbol: string;
  decimals: number;
}
type Amount = string | number;
interface Swap {
  block: number;
  logIndex: number;
  amount0: Amount;
  amount1: Amount;
}
interface Pool {
  address: string;
  fee: number;
  token0Detail: Detail;
  token1Detail: Detail;
}

const SWAPS = 3;

const poolRow = (pool: Pool, swaps: readonly Swap[]) => [
  pool.address,
  pool.fee,
  ...[pool.token0Detail, pool.token1Detail].flatMap(({ symbol, decimals }) => [symbol, decimals]),
  ...swaps.flatMap(({ block, logIndex, amount0, amount1 }) => [block, logIndex, String(amount0), String(amount1)]),
];

const poolsWithSwaps = (pools: number): Question => ({
  name: `${pools} pools with tokens and their ${SWAPS} newest swaps`,
  queries: {
    tidemark: `{ facts { markets(first: ${pools}, direction: ascending) { nodes { address fee
      token0Detail { symbol decimals } token1Detail { symbol decimals }
      swaps(first: ${SWAPS}) { block logIndex amount0 amount1 } } } } }`,
    ponder: `{ pools(limit: ${pools}, orderBy: "createdLog", orderDirection: "asc") { items { address fee
      token0Detail { symbol decimals } token1Detail { symbol decimals }
      swaps(limit: ${SWAPS}, orderBy: "block", orderDirection: "desc") { items { block logIndex amount0 amount1 } } } } }`,
    postgraphile: `{ allPools(first: ${pools}, orderBy: [CREATED_LOG_ASC]) { nodes { address fee
      token0Detail: tokenByToken0 { symbol decimals } token1Detail: tokenByToken1 { symbol decimals }
      swaps: swapsByPool(first: ${SWAPS}, orderBy: [BLOCK_DESC, LOG_INDEX_DESC]) { nodes { block logIndex amount0 amount1 } } } } }`,
  },
  rows: {
    tidemark: ({ facts }: { facts: { markets: { nodes: (Pool & { swaps: Swap[] })[] } } }) =>
      facts.markets.nodes.map((pool) => poolRow(pool, pool.swaps)),
    ponder: ({ pools: { items } }: { pools: { items: (Pool & { swaps: { items: Swap[] } })[] } }) =>
      items.map((pool) => poolRow(pool, pool.swaps.items)),
    postgraphile: ({ allPools }: { allPools: { nodes: (Pool & { swaps: { nodes: Swap[] } })[] } }) =>
      allPools.nodes.map((pool) => poolRow(pool, pool.swaps.nodes)),
  },
});

interface Held {
  account: string;
  amount: Amount;
}
const heldRow = ({ account, amount }: Held) => [account, String(amount)];
const ACCOUNT = accountNumbered(1_234);

const oneBalance: Question = {
  name: "one account's balance",
  queries: {
    tidemark: `{ balances(token: "${TOKEN}", users: ["${ACCOUNT}"]) { nodes { account amount: total } } }`,
    ponder: `{ balance(token: "${TOKEN}", account: "${ACCOUNT}") { account amount } }`,
    postgraphile: `{ balanceByTokenAndAccount(token: "${TOKEN}", account: "${ACCOUNT}") { account amount } }`,
  },
  rows: {
    tidemark: ({ balances }: { balances: { nodes: Held[] } }) => balances.nodes.map(heldRow),
    ponder: ({ balance }: { balance: Held }) => [heldRow(balance)],
    postgraphile: ({ balanceByTokenAndAccount }: { balanceByTokenAndAccount: Held }) => [
      heldRow(balanceByTokenAndAccount),
    ],
  },
};

const ourHolders = (count: number, block = "") =>
  `{ balances(token: "${TOKEN}", first: ${count}${block}) { nodes { account amount: total } } }`;

const holders = (count: number): Question => ({
  name: `the ${count} largest holders`,
  atBlock: (block) => ourHolders(count, `, block: {number: ${block}}`),
  queries: {
    tidemark: ourHolders(count),
    ponder: `{ balances: balances(where: {token: "${TOKEN}"}, orderBy: "amount", orderDirection: "desc", limit: ${count}) { items { account amount } } }`,
    postgraphile: `{ allBalances(condition: {token: "${TOKEN}"}, orderBy: [AMOUNT_DESC], first: ${count}) { nodes { account amount } } }`,
  },
  rows: {
    tidemark: ({ balances }: { balances: { nodes: Held[] } }) => balances.nodes.map(heldRow),
    ponder: ({ balances }: { balances: { items: Held[] } }) => balances.items.map(heldRow),
    postgraphile: ({ allBalances }: { allBalances: { nodes: Held[] } }) => allBalances.nodes.map(heldRow),
  },
});

export const questions: readonly Question[] = [poolsWithSwaps(100), oneBalance, holders(1_000)];
