// The way back, from what is held to what stands behind it: which contracts hold for the holders, and what.
import type { Address } from "../parameters.ts";
import type { Ledger } from "./ledger.ts";
import { type Behind, tokenAsset } from "./protocol.ts";
import { stakeAsset, tokensAmong } from "./stake.ts";

/** Those of `contracts` that `kind` lists, with the tokens that they take. */
export async function takenBy(ledger: Ledger, kind: string, contracts: readonly Address[]): Promise<Behind[]> {
  const taken = await ledger.tokensOf([kind], contracts);
  return [...taken].flatMap(([contract, tokens]) =>
    tokens.size === 0 ? [] : [{ contract, assets: [...tokens].map(tokenAsset) }],
  );
}

/** The same contracts, which may have staked their tokens on in vaults that `kinds` list. */
export async function withStakesOn(
  ledger: Ledger,
  kinds: readonly string[],
  behind: readonly Behind[],
): Promise<Behind[]> {
  const tokens = [...new Set(behind.flatMap(({ assets }) => tokensAmong(assets)))];
  const vaults = (await Promise.all(kinds.map((kind) => ledger.listed(kind, tokens)))).flat();
  return behind.map(({ contract, assets }) => {
    const own = new Set(tokensAmong(assets));
    const stakes = vaults.filter(({ token }) => own.has(token)).map((vault) => stakeAsset(vault.contract));
    return { contract, assets: [...assets, ...stakes] };
  });
}
