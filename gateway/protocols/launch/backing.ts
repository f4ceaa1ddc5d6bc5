// What launch pools hold of what they sell and of what they raise: it belongs to nobody while the curve runs. When a pool
// graduates it gives everything away; what it receives after that is stray.
import { GRADUATED_POOL, LAUNCH_POOL } from "../../../core/ledgers/launch-pool.ts";
import { EVERY } from "../../../core/ledgers/listing.ts";
import { heldByListed, type Ledger } from "../../backing/ledger.ts";
import { ledgerFor } from "../../backing/ledger-at.ts";
import { type Issued, type OpenProtocol, type Protocol, tokenAsset } from "../../backing/protocol.ts";
import { issuerBy, tokensAmong } from "../../backing/stake.ts";

export const launch: Protocol = {
  name: "launch",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.launch) return undefined;
    const ledger = ledgerFor(context, point);
    return {
      issuerKind: LAUNCH_POOL,
      issuedAgainst: (held) => curvesOver(ledger, held),
      // what it sells is a token, not a claim on what it holds
      behind: async () => [],
    };
  },
};

async function curvesOver(ledger: Ledger, held: readonly string[]): Promise<Issued> {
  const pools = await heldByListed(ledger, LAUNCH_POOL, tokensAmong(held));
  const graduated = await ledger.amounts(
    pools.map(({ contract }) => ({ kind: GRADUATED_POOL, key: EVERY, account: contract })),
  );
  const running = pools.filter((_, i) => graduated[i] === 0n);
  return {
    issuers: running.map(({ token, contract }) =>
      issuerBy({ asset: tokenAsset(token), contract }, [], { remainder: "launch-curve" }),
    ),
    assets: [],
  };
}
