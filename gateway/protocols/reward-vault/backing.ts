// What reward vaults hold: stakes, one for one, each of the account it was made for, whoever paid; and incentives for
// those who direct rewards to the vault. Rewards themselves wait at the distributor until they are claimed.
import { INCENTIVE, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import { takenBy } from "../../backing/behind.ts";
import { ledgerAt } from "../../backing/ledger-at.ts";
import { type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { issuerBy, stakedAgainst, vaultsAmong } from "../../backing/stake.ts";

const vaults = { takes: REWARD_VAULT, handsOut: INCENTIVE, reason: "incentives", source: "reward_vault" } as const;

export const rewardVault: Protocol = {
  name: "reward-vault",
  async open(context, point): Promise<OpenProtocol | undefined> {
    const { rewardVaults } = context.chain;
    if (!rewardVaults) return undefined;
    const ledger = await ledgerAt(context, point);
    const { distributor, rewardToken } = rewardVaults;
    const asset = tokenAsset(rewardToken);
    return {
      issuerAddresses: `${ledger.everyText(REWARD_VAULT)} union all select decode('${distributor.address.slice(2)}', 'hex')`,
      async issuedAgainst(held) {
        const { issuers, assets } = await stakedAgainst(ledger, vaults, held);
        if (!held.includes(asset)) return { issuers, assets };
        const rewards = issuerBy({ asset, contract: distributor.address }, [], "rewards");
        return { issuers: [...issuers, rewards], assets };
      },
      behind: (held) => takenBy(ledger, REWARD_VAULT, vaultsAmong(held)),
    };
  },
};
