// What reward vaults hold: stakes, one for one, each owned by the account it was made for, no matter who paid; and incentives for
// those who direct rewards to the vault. Rewards themselves wait at the distributor until they are claimed.
import type { ChainFile } from "../../../chains/chain-file.ts";
import { INCENTIVE, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import { takenBy } from "../../backing/behind.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import { type Custodian, type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { stakedAgainst, vaultsAmong } from "../../backing/stake.ts";

const vaults = { takes: REWARD_VAULT, handsOut: INCENTIVE, reason: "incentives", source: "reward_vault" } as const;

type RewardVaults = NonNullable<ChainFile["rewardVaults"]>;

export const rewardVault: Protocol = {
  name: "reward-vault",
  async open(context, point): Promise<OpenProtocol | undefined> {
    const { rewardVaults } = context.chain;
    if (!rewardVaults) return undefined;
    const ledger = ledgerFor(context, point);
    return {
      issuerKind: REWARD_VAULT,
      custodians: custodiansOf(rewardVaults),
      issuedAgainst: (held) => stakedAgainst(ledger, vaults, held),
      behind: (held) => takenBy(ledger, REWARD_VAULT, vaultsAmong(held)),
    };
  },
};

/** The distributor, of the reward token alone: vaults pay their stakers by transferFrom from there. */
function custodiansOf({ distributor, rewardToken }: RewardVaults): Custodian[] {
  if (!distributor || !rewardToken) return [];
  return [{ contract: distributor.address, asset: tokenAsset(rewardToken), reason: "rewards" }];
}
