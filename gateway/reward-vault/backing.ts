// What reward vaults hold: stakes, one for one, each of the account it was made for, whoever paid; and incentives for
// those who direct rewards to the vault. Rewards themselves wait at the distributor until they are claimed.
import { INCENTIVE, REWARD_VAULT } from "../../core/ledgers/vault.ts";
import { ledgerAt } from "../lookthrough/ledger-at.ts";
import { type OpenProtocol, type Protocol, tokenAsset } from "../lookthrough/protocol.ts";
import { issuerBy, stakedAgainst } from "../lookthrough/stake.ts";

const vaults = { takes: REWARD_VAULT, handsOut: INCENTIVE, reason: "incentives", source: "reward_vault" } as const;

export const rewardVault: Protocol = {
  name: "reward-vault",
  async open({ chain, snapshot }, point): Promise<OpenProtocol | undefined> {
    if (!chain.rewardVaults) return undefined;
    const ledger = await ledgerAt({ snapshot }, point);
    const { distributor, rewardToken } = chain.rewardVaults;
    const asset = tokenAsset(rewardToken);
    return {
      issuerAddresses: `${ledger.everyText(REWARD_VAULT)} union all select decode('${distributor.address.slice(2)}', 'hex')`,
      async issuedAgainst(held) {
        const { issuers, assets } = await stakedAgainst(ledger, vaults, held);
        if (!held.includes(asset)) return { issuers, assets };
        const rewards = issuerBy({ asset, contract: distributor.address }, [], "rewards");
        return { issuers: [...issuers, rewards], assets };
      },
    };
  },
};
