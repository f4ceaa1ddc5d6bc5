// GET and POST /balances/<token>: the shape of the public interface over the balances operation.
import type { Context } from "hono";
import { z } from "zod";
import { parseBlockNumber } from "../block-point.ts";
import { RequestScope, type Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { type BalancesInput, balancesText } from "../operations/balances.ts";
import { address, addressList, parseInput, splitList } from "../parameters.ts";
import { chainIdOf } from "./chain-id.ts";
import { streamPieces } from "./row-stream.ts";

const body = z.looseObject({
  blockNumber: z.union([z.number(), z.string()]).optional(),
  users: z.array(z.string("must be a list of addresses"), "must be a list of addresses").optional(),
  chainId: z.union([z.number(), z.string()]).optional(),
});

interface Asked {
  token: string | undefined;
  blockNumber: string | undefined;
  users: string[] | undefined;
}

/** @throws InvalidInputError naming `token`, `blockNumber` or `users` */
function parseBalances({ token, blockNumber, users }: Asked): BalancesInput {
  const parsed = parseInput(address, token, "token");
  const number = parseBlockNumber(blockNumber, "blockNumber");
  return {
    token: parsed,
    block: { kind: "number", number, parameter: "blockNumber", beyondHead: "clamp" },
    users: users && parseInput(addressList, users, "users"),
  };
}

export const getBalances =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const users = c.req.query("users");
    const input = parseBalances({
      token: c.req.param("token"),
      blockNumber: c.req.query("blockNumber"),
      users: users === undefined ? undefined : splitList(users, "users"),
    });
    return answer(service, c, { input, chainId: chainIdOf(c.req.query("chainId")) });
  };

/** The same with a JSON body `{blockNumber, users}`, for lists that do not fit a URL. */
export const postBalances =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const json: unknown = await c.req.json().catch(() => {
      throw new InvalidInputError("body", 'must be JSON, e.g. {"blockNumber": 1200, "users": []}');
    });
    const { blockNumber, users, chainId } = parseInput(body, json, "body");
    const asText = (value: string | number | undefined) => (value === undefined ? undefined : String(value));
    const input = parseBalances({
      token: c.req.param("token"),
      blockNumber: asText(blockNumber ?? c.req.query("blockNumber")),
      users,
    });
    return answer(service, c, { input, chainId: chainIdOf(asText(chainId ?? c.req.query("chainId"))) });
  };

async function answer(
  service: Service,
  c: Context,
  asked: { input: BalancesInput; chainId: number | undefined },
): Promise<Response> {
  const scope = new RequestScope(service);
  try {
    const { located, pieces, incomplete } = await scope.run(balancesText, asked.input, asked.chainId);
    const { point, token } = located;
    c.header("X-Block-Number", String(point.block));
    if (token.flags.length > 0) c.header("X-Token-Flags", token.flags.join(","));
    if (incomplete.length > 0) c.header("X-Incomplete", incomplete.join(","));
    const stream = await streamPieces({
      opening: '{"results":[',
      closing: `],"lastSyncedBlock":${point.lastSynced}}`,
      separator: ",",
      pieces,
      release: () => scope.close(),
    });
    // The body of a HEAD answer is thrown away without being cancelled.
    if (c.req.method === "HEAD") {
      await stream.cancel();
      return c.body(null, 200, { "content-type": "application/json" });
    }
    // Chunked from the first byte: a failure later breaks the transfer instead of ending a shorter answer.
    return c.body(stream, 200, { "content-type": "application/json", "transfer-encoding": "chunked" });
  } catch (error) {
    await scope.close();
    throw error;
  }
}
