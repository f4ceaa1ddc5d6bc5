// Who may claim how much: all holders with their totals, of tokens whose tree one request may make.
import { InvalidInputError } from "../errors.ts";
import type { BalancesRows } from "./balances-rows.ts";
import type { LocatedToken } from "./locate-token.ts";

/** Most claims of one tree: nothing else is answered while it is made, for a quarter of a second at most. */
export const MOST_CLAIMS = 2_000;

export interface Claim {
  account: string;
  /** Raw units. */
  amount: bigint;
}

/** 400 naming the token, with the command that makes trees of any size. */
class TooManyClaimsError extends InvalidInputError {
  override name = "TooManyClaimsError";

  constructor({ token, point }: LocatedToken) {
    const command = `npm run snapshot -- --token ${token.address} --block ${point.block} --out holders.csv --merkle`;
    super("token", `more than ${MOST_CLAIMS} accounts hold it; where the index is, run \`${command}\``, {
      mostAccounts: MOST_CLAIMS,
      command,
    });
  }
}

/** In answer order. @throws TooManyClaimsError; InvalidInputError when nobody holds the token */
export async function claimsOf({ located, batches }: BalancesRows): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let batch = await batches.next(); !batch.done; batch = await batches.next()) {
    claims.push(...batch.value.map(({ account, amount }) => ({ account, amount })));
    if (claims.length <= MOST_CLAIMS) continue;
    await batches.return?.();
    throw new TooManyClaimsError(located);
  }
  if (claims.length === 0)
    throw new InvalidInputError("token", `nobody holds it at block ${located.point.block}, so there is no tree`);
  return claims;
}
