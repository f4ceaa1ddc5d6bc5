// GET /balances/<token>/distribution: where a token sat, as one object of exact numbers. No rules here.
import type { Context } from "hono";
import type { Service } from "../context.ts";
import { decimalOf } from "../numbers.ts";
import { type Distribution, distribution } from "../questions/distribution.ts";
import { blockParameter, chainIdOf, tokenParameter } from "./url-parameters.ts";
import { notModified, setValidators, strongValidators } from "./validators.ts";
import { withinRequest } from "./within-request.ts";

export const getDistribution = (service: Service) => async (c: Context) => {
  const choice = blockParameter(c);
  const input = { token: tokenParameter(c), block: choice };
  const chainId = chainIdOf(c.req.query("chainId"));
  const answer = await withinRequest(service, c, (scope) => scope.run(distribution, input, chainId));
  const { located } = answer;
  const { block } = located.point;
  const symbols = answer.sources.flatMap(({ contracts }) => contracts.map(({ symbol }) => symbol ?? null));
  const validators = strongValidators({
    ...{ located, blocks: [{ choice, block }], isReadLater: answer.isNamedLater },
    question: ["distribution", JSON.stringify(symbols)],
  });
  const unmodified = notModified(c, validators);
  if (unmodified) return unmodified;
  setValidators(c, validators);
  return c.json(bodyOf(answer));
};

function bodyOf({ located, supply, holders, top10, top100, sources, unattributed }: Distribution) {
  const { point, token } = located;
  const decimals = token.metadata?.decimals;
  const amounts = <Name extends string>(name: Name, amount: bigint) => ({
    [name]: String(amount),
    [`${name}Decimal`]: decimalOf(amount, decimals),
  });
  return {
    token: token.address,
    blockNumber: point.block,
    ...amounts("supply", supply),
    holders,
    ...amounts("top10", top10),
    ...amounts("top100", top100),
    sources: sources.map(({ kind, amount, contractsCount, contracts }) => ({
      source: kind,
      ...amounts("amount", amount),
      contractsCount,
      contracts: contracts.map(({ contract, symbol, amount: ofContract, ways }) => ({
        contract,
        symbol: symbol ?? null,
        ...amounts("amount", ofContract),
        ways: ways.map((way) => ({ contracts: way.contracts, ...amounts("amount", way.amount) })),
      })),
    })),
    unattributed: unattributed.map(({ contract, reason, path, amount }) => ({
      contract,
      reason: reason.replaceAll("-", "_"),
      ...amounts("amount", amount),
      path,
    })),
  };
}
