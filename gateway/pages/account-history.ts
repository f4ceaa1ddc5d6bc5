// What an account had of one token at several blocks up to the page's own: in its wallet, and altogether.
import { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { balancesPage } from "../questions/balances.ts";
import { spread } from "../questions/locate-range.ts";
import type { TokenAt } from "../questions/tokens.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** As many as one GraphQL document may ask about. */
const POINTS = 10;

export interface HistoryPoint {
  block: number;
  /** Unix seconds. */
  timestamp: number;
  /** Raw units; undefined when unknown. */
  wallet: bigint | undefined;
  total: bigint | undefined;
}

/** Evenly spaced from the token's first block to the page's, both included, ascending. @throws what balancesPage throws, except 404 and 409 */
export async function accountHistory(
  { ask, chain }: Pick<ViewRequest, "ask" | "chain">,
  at: ShownBlock,
  { token, account }: { token: TokenAt["token"]; account: Address },
): Promise<HistoryPoint[]> {
  const first = Math.max(chain.startBlock, Math.min(token.firstBlock ?? at.block, at.block));
  const points: HistoryPoint[] = [];
  for (const block of spread(first, at.block, POINTS)) {
    const input = { token: token.address, users: [account], block: atBlock({ block }), first: 1, isWhole: false };
    try {
      const { located, entries } = await ask(balancesPage, input);
      const [entry] = entries;
      if (!entry || located.point.timestamp === undefined) continue;
      const wallet = entry.sources.find(({ kind }) => kind === "balance")?.amount ?? 0n;
      points.push({ block, timestamp: located.point.timestamp, wallet, total: entry.amount });
    } catch (error) {
      // before the token's first event, or while it is quarantined: the chart has a gap
      if (error instanceof GatewayError && (error.status === 404 || error.status === 409)) continue;
      throw error;
    }
  }
  return points;
}
