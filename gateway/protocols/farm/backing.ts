// What farms hold: locked stakes, one for one, and the rewards they hand out.
import { FARM, FARM_REWARD } from "../../../core/ledgers/vault.ts";
import { takenBy } from "../../backing/behind.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import type { OpenProtocol, Protocol } from "../../backing/protocol.ts";
import { stakedAgainst, vaultsAmong } from "../../backing/stake.ts";

const farms = { takes: FARM, handsOut: FARM_REWARD, reason: "rewards", source: "farm" } as const;

export const farm: Protocol = {
  name: "farm",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.farms) return undefined;
    const ledger = ledgerFor(context, point);
    return {
      issuerKind: FARM,
      issuedAgainst: (held) => stakedAgainst(ledger, farms, held),
      behind: (held) => takenBy(ledger, FARM, vaultsAmong(held)),
    };
  },
};
