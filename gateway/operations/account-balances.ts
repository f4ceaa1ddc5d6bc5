// Everything one account held at a block, over all tokens.
import type { BlockChoice } from "../block-point.ts";
import type { Operation } from "../context.ts";
import { pinnedChoice, readCursor, requireSameBlock, writeCursor } from "../cursors.ts";
import { readAccountOverlay, tokensBrokenAbove } from "../ledger/overlay.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import { readTokens, type TokenState } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";

export interface AccountBalancesPage {
  point: BlockPoint;
  entries: { token: TokenState; amount: bigint; cursor: string }[];
  totalCount: number;
  hasNextPage: boolean;
}

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/**
 * One page of the account's tokens with amounts above zero, ordered by token address. Tokens whose ledger cannot be told
 * are left out. The zero address holds nothing.
 * @throws what fixBlock throws; InvalidInputError naming `after`
 */
export const accountBalances: Operation<
  { account: Address; block: BlockChoice; first: number; after?: string | undefined },
  AccountBalancesPage
> = {
  name: "account",
  run(input, { chain, snapshot }) {
    const isPlace = (at: readonly (string | number)[]) => at.length === 1 && /^0x[0-9a-f]{40}$/.test(String(at[0]));
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    return snapshot.withFacts(async (facts) => {
      const point = await fixBlock(facts, chain, pinnedChoice(input.block, cursor));
      requireSameBlock(cursor, point);
      const overlay = await readAccountOverlay(facts, { account: input.account, upTo: point.block });
      const broken = await tokensBrokenAbove(facts, point.block);
      const held = holdingsOf({ account: input.account, point, fold: facts.schemas.fold });
      const rows = await facts.rows<{ token: Address | null; amount: string; total: number }>(
        `with held as materialized (
           select token, amount from (${held}) h
            where amount > 0 and not ('0x' || encode(token, 'hex') = any(string_to_array($3, ','))))
         select '0x' || encode(p.token, 'hex') as token, p.amount::text as amount, n.total
           from (select count(*)::int as total from held) n
           left join (select token, amount from held
                       where token > decode('${String(cursor?.at[0] ?? "0x").slice(2)}', 'hex')
                       order by token limit ${input.first + 1}) p on true
          order by p.token`,
        [overlay.map((row) => row.token).join(","), overlay.map((row) => row.delta).join(","), [...broken].join(",")],
      );
      const found = rows.flatMap(({ token, amount }) => (token === null ? [] : [{ token, amount: BigInt(amount) }]));
      const shown = input.account === ZERO_ADDRESS ? [] : found.slice(0, input.first);
      const tokens = await readTokens(
        facts,
        chain.chainId,
        shown.map((row) => row.token),
      );
      const entries = shown.flatMap(({ token: address, amount }, i) => {
        const token = tokens[i];
        return token ? [{ token, amount, cursor: writeCursor(point, [address]) }] : [];
      });
      const totalCount = input.account === ZERO_ADDRESS ? 0 : (rows[0]?.total ?? 0);
      return { point, entries, totalCount, hasNextPage: totalCount > 0 && found.length > input.first };
    });
  },
};

/** SELECT text of (token bytea, amount numeric) for one account; $1 and $2 hold the overlay's tokens and deltas. */
function holdingsOf(place: { account: Address; point: BlockPoint; fold: string }): string {
  const { account, point, fold } = place;
  const key = `decode('${account.slice(2)}', 'hex')`;
  const candidates = `
    select a.id, a.key from ${fold}.holder h join ${fold}.asset a on a.id = h.asset
     where h.account = ${key} and a.kind = 'erc20' and not exists (select from ${fold}.quarantine q where q.asset = a.id)`;
  const overlay = `
    select decode(substr(token, 3), 'hex') as key, delta::numeric as delta
      from unnest(string_to_array($1, ','), string_to_array($2, ',')) as o(token, delta)`;
  if (point.block > point.watermark)
    return `
      select coalesce(f.key, o.key) as token, coalesce(c.amount, 0) + coalesce(o.delta, 0) as amount
        from (${candidates}) f
        full join (${overlay}) o on o.key = f.key
        left join ${fold}.holding_current c on c.asset = f.id and c.account = ${key}
       where f.id is not null or not exists (
         select from ${fold}.asset a join ${fold}.quarantine q on q.asset = a.id where a.kind = 'erc20' and a.key = o.key)`;
  return `
    select f.key as token, coalesce(c.amount, l.amount, 0) as amount
      from (select $1::text, $2::text) unused, (${candidates}) f
      left join ${fold}.holding_current c on c.asset = f.id and c.account = ${key} and c.since <= ${point.block}
      left join lateral (
        select from_block, amount from ${fold}.holding_interval
         where asset = f.id and account = ${key} and to_block > ${point.block} order by to_block limit 1) l
        on c.account is null and l.from_block <= ${point.block}`;
}
