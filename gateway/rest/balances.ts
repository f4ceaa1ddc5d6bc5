// GET and POST /balances/<token>: the shape of the public interface over the balances operation; by GET also as ndjson, csv or
// Parquet, with the same accounts in the same order, in exact numbers.
import type { Context } from "hono";
import { z } from "zod";
import { RequestScope, type Service } from "../context.ts";
import { clientGone } from "../http/node-request.ts";
import { address, addressList, parseInput } from "../parameters.ts";
import type { BalancesInput } from "../questions/balances.ts";
import { balancesRows } from "../questions/balances-rows.ts";
import { balancesText } from "../questions/balances-text.ts";
import type { LocatedToken } from "../questions/locate-token.ts";
import { parseFormat } from "./answer-format.ts";
import { answerTable } from "./answer-table.ts";
import { balanceColumns, balanceObject } from "./balance-columns.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { blockAndChain, blockInBody, jsonBody } from "./json-body.ts";
import { streamPieces } from "./row-stream.ts";
import { chainIdOf, parseBlockChoice, usersParameter } from "./url-parameters.ts";
import { isHeld, notModified, type Subject, setValidators, weakValidators } from "./validators.ts";

/** The body of POST. */
export const balancesBody = z.looseObject({ ...blockInBody, users: addressList.optional() });

interface BalancesFields {
  token: string | undefined;
  blockNumber: string | undefined;
  timestamp: string | undefined;
  users: BalancesInput["users"];
}

/** `users` are parsed already. @throws InvalidInputError naming `token`, `blockNumber` or `timestamp` */
const parseBalances = ({ token, blockNumber, timestamp, users }: BalancesFields): BalancesInput => ({
  token: parseInput(address, token, "token"),
  block: parseBlockChoice({ number: blockNumber, timestamp }),
  users,
});

/** The question in a URL. @throws InvalidInputError naming the parameter */
export function balancesRequest(c: Context): { input: BalancesInput; chainId: number | undefined } {
  const input = parseBalances({
    token: c.req.param("token"),
    blockNumber: c.req.query("blockNumber"),
    timestamp: c.req.query("timestamp"),
    users: usersParameter(c),
  });
  return { input, chainId: chainIdOf(c.req.query("chainId")) };
}

/** The interface's own JSON unless another format is asked for. */
export const getBalances =
  (service: Service) =>
  async (c: Context): Promise<Response> =>
    parseFormat(c.req.query("format")) === "json"
      ? answer(service, c, balancesRequest(c))
      : answerTable(service, c, (scope, { chainId }) => tableOf(c, scope, chainId));

async function tableOf(c: Context, scope: RequestScope, chainId: number | undefined) {
  const { input } = balancesRequest(c);
  const { located, batches, incomplete } = await scope.run(balancesRows, input, chainId);
  const { token } = located;
  const decimals = token.metadata?.decimals;
  return {
    subject: subjectOf(located, input),
    table: { columns: balanceColumns(decimals), objectOf: balanceObject(decimals), batches, heading: {} },
    headers: { "X-Token-Flags": token.flags.join(",") },
    incomplete,
  };
}

/** What decides the answer. */
const subjectOf = (located: LocatedToken, { block, users }: BalancesInput): Subject => ({
  located,
  blocks: [{ choice: block, block: located.point.block }],
  question: ["balances", users?.join(",")],
});

/** The same with a JSON body `{blockNumber, users}`, for lists that do not fit a URL. */
export const postBalances =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const json = await jsonBody(c, 'must be JSON, e.g. {"blockNumber": 1200, "users": []}');
    const body = parseInput(balancesBody, json, "body");
    const { number, timestamp, chainId } = blockAndChain(c, body);
    const users = body.users ?? usersParameter(c);
    const input = parseBalances({ token: c.req.param("token"), blockNumber: number, timestamp, users });
    return answer(service, c, { input, chainId: chainIdOf(chainId) });
  };

const OPENING = '{"results":[';

async function answer(
  service: Service,
  c: Context,
  request: { input: BalancesInput; chainId: number | undefined },
): Promise<Response> {
  const scope = new RequestScope(service, clientGone(c));
  try {
    const { input } = request;
    const validatorsOf = (located: LocatedToken) => weakValidators(subjectOf(located, input));
    const isWanted = (located: LocatedToken) => !isHeld(c, validatorsOf(located));
    const answered = await scope.run(balancesText, { ...input, isWanted }, request.chainId);
    const { located, pieces, incomplete, whole } = answered;
    const { point, token } = located;
    const validators = validatorsOf(located);
    const unmodified = notModified(c, validators);
    if (unmodified) {
      await scope.close();
      return unmodified;
    }
    if (token.flags.length > 0) c.header("X-Token-Flags", token.flags.join(","));
    setIncomplete(c, incomplete);
    const closing = `],"lastSyncedBlock":${point.lastSynced}}`;
    if (whole !== undefined) {
      await scope.close();
      setValidators(c, validators);
      return c.body(OPENING + whole + closing, 200, { "content-type": "application/json" });
    }
    const stream = await streamPieces({
      ...{ opening: OPENING, closing },
      separator: ",",
      pieces,
      release: () => scope.close(),
    });
    setValidators(c, validators);
    // The server drops the body of a HEAD answer without cancelling it.
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
