// What the product answers: its own operations, called in process, so that what is verified is what is served.
import postgres from "postgres";
import type { Address } from "viem";
import type { ChainFile } from "../chains/chain-file.ts";
import { totalOf } from "../core/amounts.ts";
import { holdings } from "../core/history/histories.ts";
import { changeLive } from "../fold/revision.ts";
import { holdingsPoint, lookThrough } from "../gateway/balances/look-through.ts";
import { PoolNotFoundError, PoolStoppedError } from "../gateway/concentrated/pool.ts";
import { poolsAmong } from "../gateway/concentrated/pools-at.ts";
import { readPoolStates, type V3PoolState } from "../gateway/concentrated/state-at.ts";
import type { Operation, RequestScope } from "../gateway/context.ts";
import { openDatabase } from "../gateway/database/database.ts";
import { type BlockChoice, blockNumbered } from "../gateway/history/block-choice.ts";
import { holdersAt } from "../gateway/history/holdings-at.ts";
import { stretchesOfGroup } from "../gateway/history/stretches.ts";
import { type BalancesInput, type BalancesPage, balancesPage } from "../gateway/questions/balances.ts";
import { balancesText } from "../gateway/questions/balances-text.ts";
import { locateToken } from "../gateway/questions/locate-token.ts";
import { openV3, poolsPage } from "../gateway/questions/pools.ts";
import { tokensPage } from "../gateway/questions/tokens.ts";
import { openLastingService } from "../gateway/service.ts";
import { firstBlockOf } from "./first-block.ts";
import { inRequest } from "./in-request.ts";
import { type ExactEntry, writtenOtherwise } from "./rest-list.ts";

const PAGE = 10_000;
/** Name of the flag that gateways show for a token whose contract disagrees with its own events. */
const DRIFT_FLAG = "balance-drift";
const IS_DRIFT_OF_TOKEN = "chain_id = $1 and token = decode(substr($2, 3), 'hex') and flag = $3";

export interface ServedToken {
  address: Address;
  symbol: string;
  /** Why there are no answers for the token, with block and log; undefined for all others. */
  quarantine: string | undefined;
}

export interface ServedAnswer {
  blockHash: string | undefined;
  /** What each account has in its own name, as `source: balance` says; the zero address is never among them. */
  wallets: Map<Address, bigint>;
  /** Contracts that do not count as accounts: what they hold is attributed to others or listed as unattributed. */
  issuers: ReadonlySet<Address>;
  /** Everything the ledger holds, issuers included and without the zero address. */
  holdings: Map<Address, bigint>;
  supply: bigint;
  /** Totals of all accounts plus everything unattributed: must be the supply. */
  accountedFor: bigint;
  /** The first entry that REST's list has otherwise; undefined where both lists say the same, or REST has none for want of decimals. */
  restDiffers: string | undefined;
}

export interface Served {
  head(): Promise<number>;
  /** The first block that may be picked: the chain's, or the first behind those that were pruned. */
  firstBlock(): Promise<number>;
  /** All tokens with a recorded event, oldest first. */
  tokens(): Promise<ServedToken[]>;
  /**
   * Every account that ever held the token at the end of a block, or of one behind those that were pruned, the zero address included;
   * its first and last block.
   */
  pastOf(token: Address): Promise<{ accounts: Address[]; first: number; last: number }>;
  /** All holders at the block, page after page, as GraphQL gives them. */
  holdersAt(token: Address, block: number): Promise<ServedAnswer>;
  /** The same question with `users=`: what each has in its own name. Zeros included. `restDiffers` as in {@link ServedAnswer}. */
  accountsAt(
    token: Address,
    block: number,
    users: readonly Address[],
  ): Promise<{ wallets: Map<Address, bigint>; restDiffers: string | undefined }>;
  /** All v3 pools, oldest first. */
  pools(): Promise<{ address: Address; createdBlock: number }[]>;
  /** Everything about one pool; undefined where it is stopped, with the reason. */
  poolAt(
    pool: Address,
    block: number,
  ): Promise<{ state: V3PoolState; blockHash: string | undefined } | { stopped: string }>;
  /** Any question, on a snapshot of its own. */
  ask<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** The block at which the token is flagged as drifting from its events; undefined where it is not. */
  driftOf(token: Address): Promise<number | undefined>;
  /** Flags the token; of several blocks the first one is kept. */
  recordDrift(drift: { token: Address; block: number; detail: string }): Promise<void>;
  /** Takes the flag back, if it is still of this block. */
  removeDrift(drift: { token: Address; block: number }): Promise<void>;
  close(): Promise<void>;
}

/** `chain` must be the one that `databaseUrl` indexes. */
export function openServed(databaseUrl: string, chain: ChainFile): Served {
  const database = openDatabase(databaseUrl);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const service = openLastingService({ chains: [chain], database });

  const within = <T>(use: (scope: RequestScope) => Promise<T>): Promise<T> => inRequest(service, use);
  const at = (number: number) => blockNumbered(number, "--block");

  return {
    head: () =>
      within(async (scope) => (await scope.run(tokensPage, { block: { kind: "latest" }, first: 1 })).point.block),
    firstBlock: () => firstBlockOf(service, chain),
    tokens: () =>
      within(async (scope) => {
        const { entries } = await scope.run(tokensPage, { block: { kind: "latest" }, first: 1_000_000 });
        return entries.map(({ token }) => ({
          address: token.address,
          symbol: token.metadata?.symbol ?? "",
          quarantine:
            token.quarantine &&
            `${token.quarantine.reason}, block ${token.quarantine.block}, log ${token.quarantine.logIndex}`,
        }));
      }),
    pastOf: (token) => within((scope) => scope.run(tokenPast, token)),
    holdersAt: (token, block) =>
      within(async (scope) => {
        const entries: ExactEntry[] = [];
        for (let after: string | undefined; ; ) {
          const page = await scope.run(balancesPage, { token, block: at(block), first: PAGE, after, isWhole: true });
          entries.push(...page.entries);
          after = page.entries.at(-1)?.cursor;
          if (page.hasNextPage) continue;
          const { supply, located, rest } = page;
          if (!rest) throw new Error("the answer does not say what is unattributed");
          const { holdings, issuers } = await scope.run(ledgerAt, { token, block: at(block) });
          const restDiffers = await restDiffersFrom(scope, { token, block: at(block) }, { located, entries });
          const wallets = walletsOf(entries);
          const accountedFor = totalOf([...entries, ...rest.unattributed]);
          return { wallets, holdings, issuers, supply, accountedFor, restDiffers, blockHash: located.point.hash };
        }
      }),
    accountsAt: (token, block, users) =>
      within(async (scope) => {
        const input = { token, block: at(block), users };
        const page = await scope.run(balancesPage, { ...input, first: users.length, isWhole: false });
        return { wallets: walletsOf(page.entries), restDiffers: await restDiffersFrom(scope, input, page) };
      }),
    pools: () =>
      within(async (scope) => {
        const { entries } = await scope.run(poolsPage, { block: { kind: "latest" }, first: 1_000_000 });
        return entries.map(({ pool: { address, createdBlock } }) => ({ address, createdBlock }));
      }),
    poolAt: (pool, block) => within((scope) => scope.run(wholePool, { pool, block: at(block) })),
    ask: (operation, input) => within((scope) => scope.run(operation, input)),
    async driftOf(token) {
      const [flag] = await sql.unsafe<{ block: number }[]>(
        `select block from tidemark.token_flag where ${IS_DRIFT_OF_TOKEN}`,
        [chain.chainId, token, DRIFT_FLAG],
      );
      return flag?.block;
    },
    async recordDrift({ token, block, detail }) {
      await changeLive(sql, chain.chainId, {
        change: `insert into tidemark.token_flag (chain_id, token, flag, block, detail)
          values ($1, decode(substr($2, 3), 'hex'), $3, $4, $5)
          on conflict (chain_id, token, flag) do update set block = excluded.block, detail = excluded.detail
           where excluded.block < token_flag.block`,
        parameters: [chain.chainId, token, DRIFT_FLAG, block, detail],
      });
    },
    async removeDrift({ token, block }) {
      await changeLive(sql, chain.chainId, {
        change: `delete from tidemark.token_flag where ${IS_DRIFT_OF_TOKEN} and block = $4`,
        parameters: [chain.chainId, token, DRIFT_FLAG, block],
      });
    },
    async close() {
      await Promise.all([database.close(), sql.end({ timeout: 2 })]);
    },
  };
}

/** What `pool`, its ticks and `positions` answer, read at once. */
const wholePool: Operation<
  { pool: Address; block: BlockChoice },
  { state: V3PoolState; blockHash: string | undefined } | { stopped: string }
> = {
  name: "wholePool",
  async run(input, context) {
    const source = await openV3(context, input);
    const pools = await poolsAmong(source, [input.pool]);
    const [state] = await readPoolStates(source, pools);
    if (!state) throw new PoolNotFoundError(input.pool, source.point.block);
    const { stopped } = state.pool;
    if (stopped) return { stopped: new PoolStoppedError(input.pool, stopped).message };
    return { state, blockHash: source.point.hash };
  },
};

const walletsOf = (entries: readonly ExactEntry[]): Map<Address, bigint> =>
  new Map(entries.map(({ account, sources }) => [account, totalOf(sources.filter(({ kind }) => kind === "balance"))]));

/** The same question as REST answers it. */
async function restDiffersFrom(
  scope: RequestScope,
  input: BalancesInput,
  { located: { isSilent, token }, entries }: Pick<BalancesPage, "located"> & { entries: readonly ExactEntry[] },
): Promise<string | undefined> {
  const decimals = isSilent ? 0 : token.metadata?.decimals;
  if (decimals === undefined) return undefined;
  return await writtenOtherwise(await scope.run(balancesText, input), { entries, decimals });
}

/** Not a public question: the ledger before anything is looked through, as balanceOf returns it. */
const ledgerAt: Operation<
  { token: Address; block: BlockChoice },
  { holdings: Map<Address, bigint>; issuers: ReadonlySet<Address> }
> = {
  name: "ledgerAt",
  async run(input, context) {
    const { snapshot } = context;
    const located = await locateToken(context, input);
    const { issuerAddresses } = await lookThrough(context, located, { isWhole: false });
    const { text, parameters } = holdersAt(holdingsPoint(located, context));
    const isIssuer = issuerAddresses === undefined ? "false" : `account in (${issuerAddresses})`;
    const rows = await snapshot.rows<{ account: Address; amount: string; is_issuer: boolean }>(
      `select '0x' || encode(account, 'hex') as account, amount::text as amount, ${isIssuer} as is_issuer from (${text}) h`,
      parameters,
    );
    return {
      holdings: new Map(rows.map(({ account, amount }) => [account, BigInt(amount)])),
      issuers: new Set(rows.filter((row) => row.is_issuer).map(({ account }) => account)),
    };
  },
};

/** Not a public question: which accounts to ask about, from the rows behind the answers. The comparison of sums shows if any are missing. */
const tokenPast: Operation<Address, { accounts: Address[]; first: number; last: number }> = {
  name: "tokenPast",
  run: (token, { snapshot }) =>
    snapshot.read(async () => {
      const { lastSynced = 0, prunedTo } = snapshot.state;
      const { fold } = snapshot;
      const asset = `(select id from ${fold}.asset where kind = 'erc20' and key = decode('${token.slice(2)}', 'hex'))`;
      const stretches = stretchesOfGroup(holdings, {
        ...{
          fold,
          of: { asset },
          first: prunedTo === undefined ? "-1" : String(prunedTo + 1),
          last: String(lastSynced),
        },
        select: (row) => `${row}.account`,
      });
      const rows = await snapshot.rows<{ account: Address; first: number; last: number }>(`
        select '0x' || encode(account, 'hex') as account, min(since) as first, max(coalesce(until, since)) as last
          from (${stretches}) s group by account order by account`);
      return lifeOf(rows, lastSynced);
    }),
};

/** `ifNone`: its first and last block where there is no row. A token may have more accounts than a call takes arguments. */
export function lifeOf(
  rows: readonly { account: Address; first: number; last: number }[],
  ifNone: number,
): { accounts: Address[]; first: number; last: number } {
  let [first, last] = [ifNone, 0];
  for (const row of rows) {
    first = Math.min(first, row.first);
    last = Math.max(last, row.last);
  }
  return { accounts: rows.map(({ account }) => account), first, last: Math.max(first, last) };
}
