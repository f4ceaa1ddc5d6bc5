// SQL of what an account may hold: the assets that it has ever had some of.

/** SELECT text of (asset); `account` and `block` are SQL expressions. Some may be such as it gets after `block` only. */
export const assetsOfAccount = (fold: string, { account, block }: { account: string; block: string }): string => `
  select asset from ${fold}.holder where account = ${account}
  union
  select asset from ${fold}.holding_recent where account = ${account} and block <= ${block}`;
