// SQL of what an account may hold: the assets that it has ever had some of.

/** SELECT text of (asset); `account` and `block` are SQL expressions. Some may be such as it gets after `block` only. */
export const assetsOfAccount = (fold: string, { account, block }: { account: string; block: string }): string => `
  select asset from ${fold}.holder where account = ${account}
  union
  select asset from ${fold}.holding_recent where account = ${account} and block <= ${block}`;

/**
 * SELECT text of one row (since): the first block that gave the account some of such an asset; null where that was a final one.
 * `asset` is a SQL expression, too.
 */
export const heldSince = (
  fold: string,
  { account, asset, block }: { account: string; asset: string; block: string },
): string => `
  select min(r.block) as since from ${fold}.holding_recent r
   where r.account = ${account} and r.asset = ${asset} and r.block <= ${block}
     and not exists (select from ${fold}.holder o where o.account = ${account} and o.asset = ${asset})`;
