// What the product answers: its own operations, called in process, so that what is verified is what is served.
import postgres from "postgres";
import type { Address } from "viem";
import type { ChainFile } from "../chains/chain-file.ts";
import type { Operation } from "../gateway/context.ts";
import { RequestScope, type Service } from "../gateway/context.ts";
import { openDatabase } from "../gateway/ledger/database.ts";
import { LiveSchemaCache } from "../gateway/ledger/live-schemas.ts";
import { changesIn } from "../gateway/ledger/overlay.ts";
import { balancesPage } from "../gateway/operations/balances.ts";
import { tokensPage } from "../gateway/operations/tokens.ts";

const PAGE = 10_000;

export interface ServedToken {
  address: Address;
  symbol: string;
  /** Why it is not answered for, with block and log; undefined for all others. */
  quarantine: string | undefined;
}

export interface ServedAnswer {
  blockHash: string | undefined;
  /** Accounts with an amount above zero; the zero address is never among them. */
  holdings: Map<Address, bigint>;
  supply: bigint;
}

export interface Served {
  head(): Promise<number>;
  /** All tokens with a recorded event, oldest first. */
  tokens(): Promise<ServedToken[]>;
  /** Every account that ever held the token at the end of a block, the zero address included; its first and last block. */
  pastOf(token: Address): Promise<{ accounts: Address[]; first: number; last: number }>;
  /** All holders at the block, page after page, as `/balances/<token>` and GraphQL give them. */
  holdersAt(token: Address, block: number): Promise<ServedAnswer>;
  /** The same question with `users=`. Zeros included. */
  accountsAt(token: Address, block: number, users: readonly Address[]): Promise<Map<Address, bigint>>;
  recordFlag(flag: { token: Address; flag: string; block: number; detail: string }): Promise<void>;
  close(): Promise<void>;
}

/** `chain` must be the one that `databaseUrl` indexes. */
export function openServed(databaseUrl: string, chain: ChainFile): Served {
  const database = openDatabase(databaseUrl);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const service: Service = { chains: [chain], database, live: new LiveSchemaCache(database) };

  const within = async <T>(use: (scope: RequestScope) => Promise<T>): Promise<T> => {
    const scope = new RequestScope(service);
    try {
      return await use(scope);
    } finally {
      await scope.close();
    }
  };
  const at = (number: number) => ({ kind: "number", number, parameter: "--block", beyondHead: "refuse" }) as const;

  return {
    head: () =>
      within(async (scope) => (await scope.run(tokensPage, { block: { kind: "latest" }, first: 1 })).point.block),
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
        const holdings = new Map<Address, bigint>();
        for (let after: string | undefined; ; ) {
          const page = await scope.run(balancesPage, { token, block: at(block), first: PAGE, after });
          for (const { account, amount } of page.entries) holdings.set(account, amount);
          after = page.entries.at(-1)?.cursor;
          if (!page.hasNextPage) return { holdings, supply: page.supply, blockHash: page.located.point.hash };
        }
      }),
    accountsAt: (token, block, users) =>
      within(async (scope) => {
        const { entries } = await scope.run(balancesPage, { token, block: at(block), users, first: users.length });
        return new Map(entries.map(({ account, amount }) => [account, amount]));
      }),
    async recordFlag({ token, flag, block, detail }) {
      await sql`
        insert into tidemark.token_flag (chain_id, token, flag, block, detail)
        values (${chain.chainId}, ${Buffer.from(token.slice(2), "hex")}, ${flag}, ${block}, ${detail})
        on conflict (chain_id, token, flag) do update set block = excluded.block, detail = excluded.detail
         where excluded.block < token_flag.block`;
    },
    async close() {
      await Promise.all([database.close(), sql.end({ timeout: 2 })]);
    },
  };
}

/** Not a public question: who to ask about, from the rows behind the answers. The comparison of sums finds who is missing. */
const tokenPast: Operation<Address, { accounts: Address[]; first: number; last: number }> = {
  name: "tokenPast",
  run: (token, { snapshot }) =>
    snapshot.withFacts(async (facts) => {
      const { watermark, lastSynced = watermark } = facts.state;
      const { fold, ponder } = facts.schemas;
      const key = `decode('${token.slice(2)}', 'hex')`;
      const asset = `(select id from ${fold}.asset where kind = 'erc20' and key = ${key})`;
      const rows = await facts.rows<{ account: Address; first: number; last: number }>(`
        select '0x' || encode(account, 'hex') as account, min(first) as first, max(last) as last from (
          select account, min(from_block) as first, max(to_block) as last from ${fold}.holding_interval where asset = ${asset} group by account
          union all select account, since, since from ${fold}.holding_current where asset = ${asset}
          union all select decode(substr(account, 3), 'hex'), block, block
            from (${changesIn(ponder, { after: watermark, upTo: lastSynced })}) d where kind = 'erc20' and key = '${token}') seen
         group by account order by account`);
      const accounts = rows.map((row) => row.account);
      const first = Math.min(...rows.map((row) => row.first), lastSynced);
      return { accounts, first, last: Math.max(...rows.map((row) => row.last), first) };
    }),
};
