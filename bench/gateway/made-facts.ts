// Facts made up in SQL, the same every time: transfers of few hot tokens and many rare ones, swaps of busy pools and quiet
// ones. Every draw is a hash of the fact's number.
import type { Sql } from "postgres";
import { quoted } from "../../fold/tables.ts";

const draw = (seed: number): string => `((hashint8extended(i, ${seed}) & 9007199254740991)::float8 / 9007199254740992)`;

/** Address `n` of a family: `0x`, its letter pair, then digits. */
export const madeAddress = (family: string, n: string): string => `'0x${family}' || lpad(to_hex(${n}), 38, '0')`;
export const madeAddressOf = (family: string, n: number): `0x${string}` =>
  `0x${family}${n.toString(16).padStart(38, "0")}`;

/** Small numbers are drawn far more often. */
const skewed = (seed: number, most: number): string => `floor(exp(${draw(seed)} * ln(${most}::float8)))::int4`;

export interface MadeSize {
  transfers: number;
  tokens: number;
  accounts: number;
  swaps: number;
  pools: number;
  /** Facts of a kind in one block. */
  perBlock: number;
}

const place = (perBlock: number) =>
  `(i / ${perBlock})::int4 as block, (i % ${perBlock})::int4 as log_index, (i % ${perBlock})::int4 as tx_index,
   (1700000000 + 2 * (i / ${perBlock}))::int4 as timestamp`;

/** SELECT text of transfers numbered `from` to `to`. */
export const transfersText = ({ tokens, accounts, perBlock }: MadeSize, from: number, to: number): string => `
  select ${place(perBlock)}, ${madeAddress("aa", skewed(1, tokens))} as token,
         ${madeAddress("cc", skewed(2, accounts))} as "from", ${madeAddress("cc", `1 + floor(${draw(3)} * ${accounts})::int4`)} as "to",
         (1 + floor(${draw(4)} * 1e15))::numeric * 1000000 as amount
    from generate_series(${from}::int8, ${to}) i`;

/** SELECT text of v3 swaps; their log indexes lie above those of transfers. */
export const swapsText = ({ pools, accounts, perBlock }: MadeSize, from: number, to: number): string => `
  select ${place(perBlock).replace("as log_index", `+ ${perBlock} as log_index`)}, ${madeAddress("bb", skewed(5, pools))} as pool,
         ${madeAddress("cc", skewed(6, accounts))} as sender, ${madeAddress("cc", skewed(7, accounts))} as recipient,
         (1 + floor(${draw(8)} * 1e15))::numeric * 1000 as amount0, -(1 + floor(${draw(9)} * 1e15))::numeric * 1000 as amount1,
         79228162514264337593543950336::numeric as sqrt_price_x96, 1000000::numeric as liquidity, 0 as tick
    from generate_series(${from}::int8, ${to}) i`;

export async function writeMadeFacts(db: Sql, schema: string, size: MadeSize): Promise<void> {
  const s = quoted(schema);
  await db.unsafe(`
    insert into ${s}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
      ${transfersText(size, 0, size.transfers - 1)};
    insert into ${s}.v3_swap (block, log_index, tx_index, timestamp, pool, sender, recipient, amount0, amount1, sqrt_price_x96, liquidity, tick)
      ${swapsText(size, 0, size.swaps - 1)}`);
  await db.unsafe(`vacuum analyze ${s}.erc20_transfer`);
  await db.unsafe(`vacuum analyze ${s}.v3_swap`);
}
