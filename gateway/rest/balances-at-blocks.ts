// GET and POST /balances/<token>/at-blocks: balances at several blocks in one answer.
import type { Context } from "hono";
import { z } from "zod";
import type { TotalAtBlock } from "../balances/totals-at-blocks.ts";
import type { Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { requireDecimals } from "../history/token-state.ts";
import { decimalOf, toNearestDouble } from "../numbers.ts";
import { addressList, parseInput } from "../parameters.ts";
import {
  atBlock,
  type BalancesAtBlocksInput,
  balancesAtBlocksRows,
  blockNumbers,
  MOST_BLOCKS,
} from "../questions/balances-at-blocks.ts";
import type { Column, WrittenTable } from "./answer-format.ts";
import { answerTable } from "./answer-table.ts";
import { blockInBody, jsonBody } from "./json-body.ts";
import { chainIdOf, tokenParameter, usersParameter } from "./url-parameters.ts";

/** The body of POST. */
export const atBlocksBody = z.looseObject({
  blocks: blockNumbers,
  users: addressList.optional(),
  chainId: blockInBody.chainId,
});

interface AtBlocksRequest {
  input: BalancesAtBlocksInput;
  /** Of the body, which goes before the URL's. */
  chainId?: number | undefined;
}

/** @throws InvalidInputError naming `blocks` */
function blocksParameter(text: string | undefined): number[] {
  if (text === undefined)
    throw new InvalidInputError("blocks", "is missing; give block numbers separated by commas, e.g. 1200,1300");
  const digits = text.split(",", MOST_BLOCKS + 1).map((item) => item.trim());
  if (digits.some((item) => !/^\d{1,15}$/.test(item)))
    throw new InvalidInputError("blocks", "must be block numbers in digits, separated by commas, e.g. 1200,1300");
  return parseInput(blockNumbers, digits.map(Number), "blocks");
}

const inputOfUrl = (c: Context): AtBlocksRequest => ({
  input: { token: tokenParameter(c), blocks: blocksParameter(c.req.query("blocks")), users: usersParameter(c) },
});

async function inputOfBody(c: Context): Promise<AtBlocksRequest> {
  const json = await jsonBody(c, 'must be JSON, e.g. {"blocks": [1200, 1300], "users": ["0x…"]}');
  const { blocks, users, chainId } = parseInput(atBlocksBody, json, "body");
  return {
    input: { token: tokenParameter(c), blocks, users: users ?? usersParameter(c) },
    chainId: chainIdOf(chainId === undefined ? undefined : String(chainId)),
  };
}

const columnsOf = (decimals: number | undefined): Column<TotalAtBlock>[] => [
  { name: "block", read: ({ block }) => block },
  { name: "account", read: ({ account }) => account },
  { name: "amount", read: ({ amount }) => String(amount) },
  { name: "amountDecimal", read: ({ amount }) => decimalOf(amount, decimals) },
];

/** `{"<block>": {"<account>": <total>}}`, totals in whole tokens, nearest doubles; blocks at which nobody has anything are empty. */
function asJson(
  batches: AsyncIterator<TotalAtBlock[]>,
  { blocks, decimals }: { blocks: readonly number[]; decimals: number },
): WrittenTable {
  let begun = 0;
  /** Text up to the inside of `block`'s object. */
  const upTo = (block: number): string => {
    let text = "";
    for (; begun < blocks.length && (blocks[begun] as number) <= block; begun++)
      text += `${begun === 0 ? "" : "},"}"${blocks[begun]}":{`;
    return text;
  };
  const entryOf = ({ block, account, amount }: TotalAtBlock): string => {
    const opening = upTo(block);
    return `${opening === "" ? "," : opening}"${account}":${toNearestDouble(amount, decimals)}`;
  };
  async function* entries(): AsyncGenerator<string[], undefined> {
    try {
      for (let batch = await batches.next(); !batch.done; batch = await batches.next()) yield batch.value.map(entryOf);
    } finally {
      await batches.return?.();
    }
    yield [`${upTo(Number.POSITIVE_INFINITY)}}`];
    return undefined;
  }
  return { opening: "{", closing: "}", separator: "", batches: entries() };
}

const answer = (service: Service, c: Context, { input, chainId: chainOfBody }: AtBlocksRequest): Promise<Response> =>
  answerTable(service, c, async (scope, { chainId: chainOfUrl }) => {
    const chainId = chainOfBody ?? chainOfUrl;
    const { located, points, batches, incomplete } = await scope.run(balancesAtBlocksRows, input, chainId);
    const { token, isSilent } = located;
    const decimals = isSilent ? 0 : token.metadata?.decimals;
    return {
      subject: {
        located,
        blocks: points.map(({ block }) => ({ choice: atBlock(block), block })),
        question: ["at-blocks", input.users?.join(",")],
      },
      table: {
        columns: columnsOf(decimals),
        batches,
        heading: {},
        json: () => asJson(batches, { blocks: input.blocks, decimals: decimals ?? requireDecimals(token) }),
      },
      incomplete,
      chainId,
    };
  });

export const getBalancesAtBlocks = (service: Service) => (c: Context) => answer(service, c, inputOfUrl(c));

/** The same with a JSON body, for lists that do not fit a URL. */
export const postBalancesAtBlocks =
  (service: Service) =>
  async (c: Context): Promise<Response> =>
    answer(service, c, await inputOfBody(c));
