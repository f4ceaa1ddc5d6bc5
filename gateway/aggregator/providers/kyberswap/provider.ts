// KyberSwap: a route first, then its calldata; slippage in basis points, 0 unless said, errors by code.
import { toBpsRoundingUp } from "../../../../core/aggregator/percent.ts";
import { parseFaithfulJson } from "../../exact-json.ts";
import type { Provider, ProviderAccess, ProviderRequest, ProviderTransaction } from "../../provider.ts";
import { ProviderFailure } from "../../provider-failure.ts";
import { exchange, type ProviderReply, readAnswer } from "../../provider-http.ts";
import { refuseOtherSwap } from "../../same-swap.ts";
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

/** The transaction, and what it is to pay: less than the route said where pools have moved since. */
async function build(
  reply: ProviderReply,
  { data }: Routed,
  { request, access }: { request: ProviderRequest; access: ProviderAccess },
): Promise<{ amount: bigint; transaction: ProviderTransaction }> {
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
  refuseOtherSwap(made, request);
  const isLess = made.amountOut < data.routeSummary.amountOut;
  return {
    amount: isLess ? made.amountOut : data.routeSummary.amountOut,
    transaction: { to: made.routerAddress, data: made.data, value: made.transactionValue },
  };
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
    refuseOtherSwap(routeSummary, request);
    const made = request.wantsTransaction ? await build(reply, found, { request, access }) : undefined;
    return {
      amount: made?.amount ?? routeSummary.amountOut,
      gas: routeSummary.gas,
      transaction: made?.transaction,
      paths: pathsOf(routeSummary.route),
      quoteId: routeSummary.routeID,
    };
  },
};
