// Which tokens do not arrive in full. Events show it: a pool sends what its Swap says that it pays, and a token that passes on
// less logs a Transfer of less.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type RawFacts, readFacts, readFactsAfter } from "../history/raw-facts.ts";
import type { Address } from "../parameters.ts";

/** Whether the last swap of a pool that paid `token` paid it in full. */
export interface Payout {
  pool: Address;
  token: Address;
  isWhole: boolean;
}

interface SwapKind {
  table: string;
  /** Columns. */
  pool: string;
  receiver: string;
  /** SQL of what was paid of token0 and of token1, above zero where it was. */
  paid: readonly [string, string];
  /** Table of its pools, with both tokens. */
  created: string;
}

const V2: SwapKind = {
  table: "v2_swap",
  pool: "pair",
  receiver: '"to"',
  paid: ["amount0_out", "amount1_out"],
  created: "v2_pair_created",
};
const V3: SwapKind = {
  table: "v3_swap",
  pool: "pool",
  receiver: "recipient",
  paid: ["-amount0", "-amount1"],
  created: "v3_pool_created",
};

type Chain = Pick<ChainFile, "tokens" | "v2" | "v3">;
const kindsOf = ({ v2, v3 }: Chain): SwapKind[] => [...(v2 ? [V2] : []), ...(v3 ? [V3] : [])];

/** By pools and tokens whose Transfers are recorded, up to the end of the block. Where swaps cannot be sought by pool yet, all are read. */
export const payoutsUpTo = (snapshot: Snapshot, chain: Chain, block: number): Promise<Payout[]> =>
  readFacts(snapshot, (facts) =>
    readPayouts(facts, chain, async (kind) =>
      (await facts.isIndexed(kind.table, kind.pool))
        ? newestOfEach(facts, kind, block)
        : newestInRange(facts, kind, { after: -1, upTo: block }),
    ),
  );

/** Those of pools that have paid something in blocks after `after`. */
export const payoutsIn = (snapshot: Snapshot, chain: Chain, range: BlocksAfter): Promise<Payout[]> =>
  readFactsAfter(snapshot, range.after, (facts) =>
    readPayouts(facts, chain, async (kind) => newestInRange(facts, kind, range)),
  );

/** SQL of the tokens' sides of a pool. */
const SIDES = "(values (0), (1)) sides(side)";
const paidText = ({ paid: [of0, of1] }: SwapKind): string => `(case side when 0 then ${of0} else ${of1} end)`;
const swapColumns = (kind: SwapKind): string =>
  `s.block, s.log_index, s.tx_index, s.${kind.receiver} as receiver, ${paidText(kind)} as amount`;

/** The newest swap of each pool that paid a side, sought by an index of pools. */
function newestOfEach({ view, parts }: RawFacts, kind: SwapKind, block: number): string {
  const newest = "order by block desc, log_index desc limit 1";
  const arms = parts(kind.table).map(
    (part) => `(select ${swapColumns(kind)} from ${part} s
      where s.${kind.pool} = c.${kind.pool} and s.block <= ${block} and ${paidText(kind)} > 0 ${newest})`,
  );
  return `select c.${kind.pool} as pool, side, swap.* from ${view(kind.created)} c, ${SIDES},
    lateral (select * from (${arms.join(" union all ")}) either ${newest}) swap`;
}

/** The same among the swaps of a range, which are all read. */
function newestInRange({ view }: Pick<RawFacts, "view">, kind: SwapKind, { after, upTo }: BlocksAfter): string {
  return `select s.${kind.pool} as pool, side, ${swapColumns(kind)}
    from (select ${kind.pool}, side, max(block::int8 << 20 | log_index) as spot from ${view(kind.table)}, ${SIDES}
           where block > ${after} and block <= ${upTo} and ${paidText(kind)} > 0 group by 1, 2) newest
    join ${view(kind.table)} s on s.block = (spot >> 20)::int4 and s.log_index = (spot & 1048575)::int4`;
}

async function readPayouts(
  { rows, view }: Pick<RawFacts, "rows" | "view">,
  chain: Chain,
  newestOf: (kind: SwapKind) => Promise<string>,
): Promise<Payout[]> {
  const listed = chain.tokens === "all" ? [] : chain.tokens.map(({ address }) => `'${address}'`);
  const isRecorded = chain.tokens === "all" ? "true" : `p.token in (${listed.join(", ")})`;
  const payouts = kindsOf(chain).map(async (kind) =>
    rows<Payout>(`
      with newest as materialized (${await newestOf(kind)}),
      p as (
        select n.*, case side when 0 then c.token0 else c.token1 end as token
          from newest n join ${view(kind.created)} c on c.${kind.pool} = n.pool)
      select p.pool, p.token, exists (
               select from ${view("erc20_transfer")} t
                where t.block = p.block and t.tx_index = p.tx_index and t.log_index < p.log_index and t.token = p.token
                  and t."from" = p.pool and t."to" = p.receiver and t.amount = p.amount) as "isWhole"
        from p where ${isRecorded}`),
  );
  return (await Promise.all(payouts)).flat();
}
