// What Infrared vaults hold: stakes, one for one, which they stake on in the token's reward vault; and the rewards they
// hand out. MultiRewards.sol, InfraredVault.sol
import { INFRARED, INFRARED_REWARD, REWARD_VAULT } from "../../../core/ledgers/vault.ts";
import type { Issuer } from "../../../core/lookthrough/backing.ts";
import { takenBy, withStakesOn } from "../../backing/behind.ts";
import { heldByListed, type Ledger } from "../../backing/ledger.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import { type OwingVaults, owedAgainst, owedBy } from "../../backing/one-to-one.ts";
import { type Issued, type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { issuerBy, tokensAmong, vaultsAmong } from "../../backing/stake.ts";

export const infrared: Protocol = {
  name: "infrared",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.infrared) return undefined;
    const ledger = ledgerFor(context, point);
    return {
      issuerKind: INFRARED,
      issuedAgainst: (held) => issuedAgainst(ledger, held),
      needing: (assets) => owedBy(ledger, owingVaults(ledger), assets),
      behind: async (held) => withStakesOn(ledger, [REWARD_VAULT], await takenBy(ledger, INFRARED, vaultsAmong(held))),
    };
  },
};

const owingVaults = (ledger: Ledger): OwingVaults => ({
  takers: async (tokens) => (await ledger.listed(INFRARED, tokens)).map((place) => ({ ...place, of: place.contract })),
  onIn: [REWARD_VAULT],
});

async function issuedAgainst(ledger: Ledger, held: readonly string[]): Promise<Issued> {
  const [{ issuers, assets }, rewards] = await Promise.all([
    owedAgainst(ledger, owingVaults(ledger), held),
    heldByListed(ledger, INFRARED_REWARD, tokensAmong(held)),
  ]);
  const owing = new Map(issuers.map((issuer) => [placeOf(issuer), issuer]));
  for (const { token, contract } of rewards) {
    const asset = tokenAsset(token);
    const name = `${contract} ${asset}`;
    // a token that is both staked and handed out: what exceeds the stakes is rewards
    const { claims = [], needs = [] } = owing.get(name)?.backings.get(asset) ?? {};
    owing.set(name, issuerBy({ asset, contract }, claims, { remainder: "rewards", needs }));
  }
  return { issuers: [...owing.values()], assets };
}

const placeOf = ({ address, backings }: Issuer): string => `${address} ${[...backings.keys()].join()}`;
