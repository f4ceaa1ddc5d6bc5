// Addresses of the seeded devnet with enough behind them for any question: a token, who holds it in many ways, a busy pool.
import { openSeededDevnet, openSeededSql, seeded } from "./seeded-index.ts";

const DAY = 86_400;

export interface Examples {
  token: string;
  /** Has the token in its wallet and staked, and moved it between blocks 1001 and 1199. */
  account: string;
  pool: string;
  island: string;
  /** A v2 pair with much traffic. */
  pair: string;
  /** A launch curve with trades that has not graduated. */
  curve: string;
  /** A token whose balances are unknown. */
  quarantined: string;
  /** Of a launch that graduated. */
  launched: string;
  tokenIn: string;
  tokenOut: string;
  recipient: string;
  manager: string;
  owner: string;
  /** Six days, up to the head. */
  from: number;
  to: number;
}

export async function seededExamples(): Promise<Examples> {
  const sql = openSeededSql();
  const { at } = await openSeededDevnet();
  const facts = `"${seeded.ponderSchema}"`;
  const one = async (text: string): Promise<Record<string, unknown>> => (await sql.unsafe(text))[0] ?? {};
  // A pool with much traffic; an account with token ids in it; an island that took fees.
  const busiest =
    await one(`select s.pool, c.token0 from ${facts}.v3_swap s join ${facts}.v3_pool_created c on c.pool = s.pool
    join ${facts}.island_created i on i.pool = s.pool group by 1, 2 order by count(*) desc, 1 limit 1`);
  const nft = await one(`select manager, "to" as owner from ${facts}.v3_nft where token_id = 12 and kind = 'transfer'
    order by block, log_index limit 1`);
  const token = at.tokens.honey.toLowerCase();
  const holder =
    await one(`select "to" as account from ${facts}.erc20_transfer f where token = '${token}' and block <= 1200
    and exists (select from ${facts}.erc20_transfer g where g."from" = f."to" and g.token = f.token and g.block between 1001 and 1199)
    and exists (select from ${facts}.stake s where s.account = f."to" and s.kind = 'stake')
    and not exists (select from ${facts}.v3_pool_created p where p.pool = f."to")
    and not exists (select from ${facts}.v2_pair_created p where p.pair = f."to") order by block desc limit 1`);
  const island = await one(
    `select island from ${facts}.island_flow where kind = 'fees' group by 1 order by count(*) desc, 1 limit 1`,
  );
  const pair = await one(`select pair from ${facts}.v2_swap group by 1 order by count(*) desc, 1 limit 1`);
  const curve = await one(`select pool from ${facts}.launch_swap s where not exists (select from ${facts}.launch_pool p
    where p.pool = s.pool and p.kind = 'graduated') group by 1 order by count(*) desc, 1 limit 1`);
  const quarantine = await one(`select '0x' || encode(a.key, 'hex') as token from "${seeded.foldSchema}".quarantine q
    join "${seeded.foldSchema}".asset a on a.id = q.asset where a.kind = 'erc20' order by a.key limit 1`);
  const launch = await one(`select pool from ${facts}.launch_pool where kind = 'graduated' order by block limit 1`);
  const head = await one(`select max(timestamp)::int as timestamp from ${facts}.block where number <= ${seeded.head}`);
  await sql.end();
  return {
    token,
    account: String(holder.account),
    pool: String(busiest.pool),
    island: String(island.island),
    pair: String(pair.pair),
    curve: String(curve.pool),
    quarantined: String(quarantine.token),
    launched: String(launch.pool),
    ...{ tokenIn: token, tokenOut: at.tokens.wbera.toLowerCase(), recipient: String(holder.account) },
    ...{ manager: String(nft.manager), owner: String(nft.owner) },
    ...{ from: Number(head.timestamp) - 6 * DAY, to: Number(head.timestamp) },
  };
}
