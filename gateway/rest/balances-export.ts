// GET /balances/<token> as ndjson, csv or Parquet: the same accounts in the same order, in exact numbers.
import type { Context } from "hono";
import type { Service } from "../context.ts";
import { balancesRows } from "../questions/balances-rows.ts";
import { parseFormat } from "./answer-format.ts";
import { answerTable } from "./answer-table.ts";
import { balanceColumns, balanceObject } from "./balance-columns.ts";
import { balancesRequest, getBalances } from "./balances.ts";

const exportBalances = (service: Service, c: Context): Promise<Response> =>
  answerTable(service, c, async (scope, { chainId }) => {
    const { input } = balancesRequest(c);
    const { located, batches, incomplete } = await scope.run(balancesRows, input, chainId);
    const decimals = located.token.metadata?.decimals;
    return {
      subject: {
        located,
        blocks: [{ choice: input.block, block: located.point.block }],
        question: ["balances", input.users?.join(",")],
      },
      table: { columns: balanceColumns(decimals), objectOf: balanceObject(decimals), batches, heading: {} },
      headers: { "X-Token-Flags": located.token.flags.join(","), "X-Incomplete": incomplete.join(",") },
    };
  });

/** The interface's own JSON unless another format is asked for. */
export function getBalancesAs(service: Service): (c: Context) => Promise<Response> {
  const asJson = getBalances(service);
  return async (c) => (parseFormat(c.req.query("format")) === "json" ? asJson(c) : exportBalances(service, c));
}
