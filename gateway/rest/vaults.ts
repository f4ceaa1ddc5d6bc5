// GET /vaults, /vaults/<id> and /baults: the shape of the public interface over the operations on pools.
import type { Context } from "hono";
import type { VaultFilter } from "../../core/vaults/vault-list.ts";
import type { Service } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type Address, address, parseInput } from "../parameters.ts";
import {
  baultsList,
  FIRST_PAGE,
  leastUsd,
  searchText,
  type VaultPage,
  vaultAt,
  vaultPage,
  vaultsPage,
} from "../questions/vaults.ts";
import { blockOrLatest } from "./block-choice.ts";
import { chainIdOf, servedChainId } from "./chain-id.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { flagParameter, integerParameter } from "./url-parameters.ts";
import { listedBaultJson, vaultJson } from "./vault-json.ts";
import { withinRequest } from "./within-request.ts";

const blockOf = (c: Context): BlockChoice =>
  blockOrLatest({ number: c.req.query("blockNumber"), timestamp: c.req.query("timestamp") });

/** @throws InvalidInputError naming the parameter */
const pageOf = (c: Context): VaultPage =>
  parseInput(vaultPage, {
    limit: integerParameter(c, "limit") ?? FIRST_PAGE.limit,
    offset: integerParameter(c, "offset") ?? FIRST_PAGE.offset,
    orderBy: c.req.query("orderBy") ?? FIRST_PAGE.orderBy,
    orderDirection: c.req.query("orderDirection") ?? FIRST_PAGE.orderDirection,
  });

function filterOf(c: Context): Omit<VaultFilter, "isHeld"> {
  return {
    search: parseInput(searchText, c.req.query("search"), "search"),
    rewardVault: flagParameter(c, "rewardVault"),
    sweetened: flagParameter(c, "sweetened"),
    volatile: flagParameter(c, "volatile"),
    minimumTvl: parseInput(leastUsd, c.req.query("minimumTvl"), "minimumTvl"),
  };
}

function userOf(c: Context): Address | undefined {
  const user = c.req.query("user");
  return user === undefined ? undefined : parseInput(address, user, "user");
}

export const getVaults =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    // the interface wants it named
    const chainId = servedChainId(service, c.req.query("chainId"));
    const input = { block: blockOf(c), user: userOf(c), filter: filterOf(c), page: pageOf(c) };
    const shape = { withBaults: flagParameter(c, "withBaults") ?? false };
    return withinRequest(service, c, async (scope) => {
      const page = await scope.run(vaultsPage, input, chainId);
      c.header("X-Block-Number", String(page.point.block));
      setIncomplete(c, page.incomplete);
      return c.json({ count: page.count, data: page.entries.map((entry) => vaultJson(entry, page, shape)) });
    });
  };

export const getVault =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const input = { id: parseInput(address, c.req.param("id"), "id"), block: blockOf(c), user: userOf(c) };
    const shape = { withBaults: flagParameter(c, "withBaults") ?? true };
    const chainId = chainIdOf(c.req.query("chainId"));
    return withinRequest(service, c, async (scope) => {
      const found = await scope.run(vaultAt, input, chainId);
      c.header("X-Block-Number", String(found.point.block));
      return c.json(vaultJson(found, found, shape));
    });
  };

export const getBaults =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const block = blockOf(c);
    const chainId = chainIdOf(c.req.query("chainId"));
    return withinRequest(service, c, async (scope) => {
      const list = await scope.run(baultsList, { block }, chainId);
      c.header("X-Block-Number", String(list.point.block));
      const data = list.baults.map((bault) => listedBaultJson(bault, list));
      return c.json({ count: data.length, data });
    });
  };
