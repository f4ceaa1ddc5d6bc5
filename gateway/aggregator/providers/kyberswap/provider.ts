// KyberSwap: a route first, then its calldata; slippage in basis points, 0 unless said, errors by code.
import { toBpsRoundingUp } from "../../../../core/aggregator/percent.ts";
import { parseFaithfulJson } from "../../exact-json.ts";
import type { Provider, ProviderAccess, ProviderRequest, ProviderTransaction } from "../../provider.ts";
import { ProviderFailure } from "../../provider-failure.ts";
import { exchange, type ProviderReply, readAnswer } from "../../provider-http.ts";
import { built, pathsOf, type Routed, refusalOf, routed } from "./answers.ts";

/** Above this KyberSwap caps the tolerance unless a parameter forbids it. */
const CAPPED_BPS = 2_000;

const headersOf = (access: ProviderAccess) => ({ "x-client-id": access.apiKey ?? "tidemark" });

/** @throws ProviderFailure for what is refused by status or by code */
function requireDone(reply: ProviderReply): unknown {
  const refused = refusalOf(reply);
  if (refused) throw refused;
  return reply.body;
}

async function build(
  reply: ProviderReply,
  { data }: Routed,
  { request, access }: { request: ProviderRequest; access: ProviderAccess },
): Promise<ProviderTransaction> {
  // sent back as it came, to the digit: it is signed by a checksum
  const { data: whole } = parseFaithfulJson(reply.text) as { data: { routeSummary: unknown } };
  const slippageTolerance = toBpsRoundingUp(request.slippage);
  const answer = await exchange({
    url: `${access.url}/api/v1/route/build`,
    body: {
      routeSummary: whole.routeSummary,
      sender: request.taker,
      recipient: request.taker,
      slippageTolerance,
      ignoreCappedSlippage: slippageTolerance > CAPPED_BPS,
      deadline: Math.floor(Date.now() / 1000) + request.deadlineSeconds,
      source: "tidemark",
    },
    headers: headersOf(access),
    signal: access.signal,
  });
  const { data: made } = readAnswer(built, requireDone(answer));
  if (made.routerAddress !== data.routerAddress)
    throw new ProviderFailure("error", "the transaction goes elsewhere than the quote said");
  if (made.amountIn !== request.amount || made.amountOut < data.routeSummary.amountOut)
    throw new ProviderFailure("error", "the transaction is for less than the quote said");
  return { to: made.routerAddress, data: made.data, value: made.transactionValue };
}

export const kyberSwap: Provider = {
  name: "Kyberswap",
  aliases: ["kyber"],
  prefix: "KYBERSWAP",
  needsKey: false,
  canExactOut: false,
  requestsPerSecond: 3,
  requestsForTransaction: 2,
  publicServices: {
    80094: {
      url: "https://aggregator-api.kyberswap.com/berachain",
      targets: ["0x6131b5fae19ea4f9d964eac0408e4408b66337b5"],
    },
  },
  async quote(request, access) {
    const reply = await exchange({
      url: `${access.url}/api/v1/routes`,
      query: {
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        amountIn: String(request.amount),
        gasInclude: "true",
        gasPrice: String(request.gasPriceWei),
      },
      headers: headersOf(access),
      signal: access.signal,
    });
    const found = readAnswer(routed, requireDone(reply));
    const { routeSummary } = found.data;
    if (routeSummary.amountIn !== request.amount)
      throw new ProviderFailure("error", "quotes another amount than asked");
    return {
      amount: routeSummary.amountOut,
      gas: routeSummary.gas,
      transaction: request.wantsTransaction ? await build(reply, found, { request, access }) : undefined,
      paths: pathsOf(routeSummary.route),
      quoteId: routeSummary.routeID,
    };
  },
};
