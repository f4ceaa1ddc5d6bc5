// Baults: the shares of one are parts of what it has staked in the reward vault of its token. That is its totalAssets();
// what it holds unstaked was sent to it directly and does not count.
import { BAULT, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import { takenBy, withStakesOn } from "../../backing/behind.ts";
import type { Ledger } from "../../backing/ledger.ts";
import { type Behind, type Issued, tokenAsset } from "../../backing/protocol.ts";
import { shareTokens } from "../../backing/share.ts";
import { issuerBy, stakedOn, tokensAmong } from "../../backing/stake.ts";

export async function baultsAgainst(ledger: Ledger, held: readonly string[]): Promise<Issued> {
  const staked = await stakedOn(ledger, held, {
    kinds: [REWARD_VAULT],
    takers: (tokens) => ledger.listed(BAULT, tokens),
  });
  const contracts = staked.map(({ contract }) => contract);
  return {
    issuers: staked.map((stake) => issuerBy(stake, [{ asset: tokenAsset(stake.contract), amount: stake.amount }])),
    assets: await shareTokens(ledger, "external_vaults", contracts),
  };
}

export const behindBaults = async (ledger: Ledger, held: readonly string[]): Promise<Behind[]> =>
  withStakesOn(ledger, [REWARD_VAULT], await takenBy(ledger, BAULT, tokensAmong(held)));
