// What vaults with shares of their own hold, announced by the bault factory or listed in the chain file: a share is worth
// its part of the vault's assets (EIP-4626, `convertToAssets`).
import { BAULT, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import { takenBy, withStakesOn } from "../../backing/behind.ts";
import type { Ledger } from "../../backing/ledger.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import { type Behind, type Issued, type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { shareTokens } from "../../backing/share.ts";
import { issuerBy, stakedOn, tokensAmong } from "../../backing/stake.ts";
import { ANNOUNCED, behindListed, contractsOf, listedAgainst, owedByListed } from "./listed.ts";

export const vault: Protocol = {
  name: "vault",
  async open(context, point): Promise<OpenProtocol | undefined> {
    const { chain } = context;
    if (!chain.baults && chain.externalVaults.length === 0) return undefined;
    const ledger = ledgerFor(context, point);
    const old = chain.externalVaults.filter(({ startBlock }) => startBlock <= point.block);
    const announced = await ledger.tokensOf(
      ANNOUNCED,
      old.map(({ address }) => address),
    );
    const listed = old.filter(({ address }) => announced.get(address)?.size === 0);
    // announced or not, none of them is an account
    const addresses = [...new Set(old.flatMap((one) => [one.address, ...contractsOf(one)]))];
    return {
      issuerKind: BAULT,
      issuerAddresses:
        addresses.map((address) => `select decode('${address.slice(2)}', 'hex')`).join(" union all ") || undefined,
      async issuedAgainst(held) {
        const [baults, others] = await Promise.all([baultsAgainst(ledger, held), listedAgainst(ledger, listed, held)]);
        return { issuers: [...baults.issuers, ...others.issuers], assets: [...baults.assets, ...others.assets] };
      },
      needing: (assets) => owedByListed(ledger, listed, assets),
      behind: async (held) => [...(await behindBaults(ledger, held)), ...(await behindListed(ledger, listed, held))],
    };
  },
};

async function baultsAgainst(ledger: Ledger, held: readonly string[]): Promise<Issued> {
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

const behindBaults = async (ledger: Ledger, held: readonly string[]): Promise<Behind[]> =>
  withStakesOn(ledger, [REWARD_VAULT], await takenBy(ledger, BAULT, tokensAmong(held)));
