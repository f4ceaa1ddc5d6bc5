// Facts made up in SQL, the same every time: swaps of busy pools and quiet ones. Every draw is a hash of the fact's number.

const draw = (seed: number): string => `((hashint8extended(i, ${seed}) & 9007199254740991)::float8 / 9007199254740992)`;

/** Address `n` of a family: `0x`, the family's letter pair, then digits. */
export const madeAddress = (family: string, n: string): string => `'0x${family}' || lpad(to_hex(${n}), 38, '0')`;
export const madeAddressOf = (family: string, n: number): `0x${string}` =>
  `0x${family}${n.toString(16).padStart(38, "0")}`;

/** Small numbers are drawn far more often. */
const skewed = (seed: number, most: number): string => `floor(exp(${draw(seed)} * ln(${most}::float8)))::int4`;

export interface MadeSize {
  accounts: number;
  pools: number;
  /** Facts of a kind in one block. */
  perBlock: number;
}

const place = (perBlock: number) =>
  `(i / ${perBlock})::int4 as block, (i % ${perBlock})::int4 as log_index, (i % ${perBlock})::int4 as tx_index,
   (1700000000 + 2 * (i / ${perBlock}))::int4 as timestamp`;

/** SELECT text of v3 swaps numbered `from` to `to`; their log indexes lie above those of transfers. */
export const swapsText = ({ pools, accounts, perBlock }: MadeSize, from: number, to: number): string => `
  select ${place(perBlock).replace("as log_index", `+ ${perBlock} as log_index`)}, ${madeAddress("bb", skewed(5, pools))} as pool,
         ${madeAddress("cc", skewed(6, accounts))} as sender, ${madeAddress("cc", skewed(7, accounts))} as recipient,
         (1 + floor(${draw(8)} * 1e15))::numeric * 1000 as amount0, -(1 + floor(${draw(9)} * 1e15))::numeric * 1000 as amount1,
         79228162514264337593543950336::numeric as sqrt_price_x96, 1000000::numeric as liquidity, 0 as tick
    from generate_series(${from}::int8, ${to}) i`;
