// SQL text of what an asset's holders had that they have no more: the one way to read closed intervals at a block.

/** The class of the longest intervals that a fold writes: blocks are 32 bits with a sign. */
const LONGEST_CLASS = 29;

/**
 * SELECT text of (account, amount), the asset's closed intervals that hold at `block`. `asset` and `block` are SQL
 * expressions; `longest` is the longest class there can be. `offset 0` keeps each class its own index range scan.
 */
export const endedIntervals = ({
  fold,
  asset,
  block,
  longest = LONGEST_CLASS,
}: {
  fold: string;
  asset: string;
  block: string;
  longest?: number;
}): string => `
  select l.account, l.amount from generate_series(0, ${longest}) k cross join lateral (
    select account, amount from ${fold}.holding_interval
     where asset = ${asset} and lvl = k::int2
       and from_block <= ${block} and from_block > ${block} - (2 << k) and to_block > ${block}
    offset 0) l`;
