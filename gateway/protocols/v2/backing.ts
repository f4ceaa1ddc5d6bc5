// What v2 pairs hold, and for whom: all of it for the holders of their shares. A share is paid its part of the pair's own
// balance, whatever the reserves say (UniswapV2Pair.sol, `burn`). The protocol's part of the fees has an owner only
// once the pair has minted shares for it; the shares that a first mint locks are the zero address's.
import { V2_PAIR } from "../../../core/ledgers/v2-pair.ts";
import { takenBy } from "../../backing/behind.ts";
import { heldByListed, type Ledger } from "../../backing/ledger.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import { type Issued, type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { shareTokens } from "../../backing/share.ts";
import { tokensAmong } from "../../backing/stake.ts";

export const v2: Protocol = {
  name: "v2",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.v2) return undefined;
    const ledger = ledgerFor(context, point);
    return {
      issuerKind: V2_PAIR,
      issuedAgainst: (held) => sharesAgainst(ledger, held),
      behind: (held) => takenBy(ledger, V2_PAIR, tokensAmong(held)),
    };
  },
};

async function sharesAgainst(ledger: Ledger, held: readonly string[]): Promise<Issued> {
  const pairs = await heldByListed(ledger, V2_PAIR, tokensAmong(held));
  return {
    issuers: pairs.map(({ contract, token, amount }) => ({
      address: contract,
      backings: new Map([[tokenAsset(token), { claims: [{ asset: tokenAsset(contract), amount }], reserves: [] }]]),
    })),
    assets: await shareTokens(
      ledger,
      "v2-pool",
      pairs.map(({ contract }) => contract),
    ),
  };
}
