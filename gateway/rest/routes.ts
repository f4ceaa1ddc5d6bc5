// The REST roots: method, path, question. No rules here.
import { readFileSync } from "node:fs";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { RequestScope, type Service } from "../context.ts";
import { withinTime } from "../database/within-time.ts";
import { InvalidInputError } from "../errors.ts";
import { limitBody } from "../http/body-limit.ts";
import { refuseRepeated } from "../http/refuse-repeated.ts";
import { renderMetrics } from "../metrics/render.ts";
import { NotReadyError } from "../questions/readiness.ts";
import { type Status, status } from "../questions/status.ts";
import { sqlStatusOf } from "../sql/sql-status.ts";
import { parseFormat } from "./answer-format.ts";
import { getBalances, postBalances } from "./balances.ts";
import { getBalancesAtBlocks, postBalancesAtBlocks } from "./balances-at-blocks.ts";
import { getBalancesTree } from "./balances-tree.ts";
import { getDistribution } from "./distribution.ts";
import { getLaunch, getLaunches, getLaunchTokenList } from "./launch.ts";
import { listParameters, openapiDocument } from "./openapi/document.ts";
import { getPoolHistory, getShareHistory, getTimeInRange } from "./pools.ts";
import { getQuote, getRouterQuote } from "./quote.ts";
import { getChanges, getHistory, getHoldersCount, getTimeWeighted } from "./ranges.ts";
import { referenceRoutes } from "./reference/reference.ts";
import { postRewards } from "./rewards.ts";
import { postSnapshotScore } from "./snapshot-score.ts";
import { postSql } from "./sql.ts";
import { getTokens, postTokens } from "./tokens.ts";
import { chainIdOf } from "./url-parameters.ts";
import { getBaults, getVault, getVaults } from "./vaults.ts";

const VERSION = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

export function restRoutes(service: Service): Hono {
  const document = openapiDocument(VERSION);
  return new Hono()
    .use(refuseRepeated(listParameters(document)))
    .get("/balances/:token", getBalances(service))
    .post("/balances/:token", limitBody, jsonAlone, postBalances(service))
    .get("/balances/:token/merkle", jsonAlone, getBalancesTree(service))
    .get("/balances/:token/history", getHistory(service))
    .get("/balances/:token/changes", getChanges(service))
    .get("/balances/:token/time-weighted", getTimeWeighted(service))
    .get("/balances/:token/holders-count", jsonAlone, getHoldersCount(service))
    .get("/balances/:token/distribution", jsonAlone, getDistribution(service))
    .post("/rewards", limitBody, postRewards(service))
    .get("/balances/:token/at-blocks", getBalancesAtBlocks(service))
    .post("/balances/:token/at-blocks", limitBody, postBalancesAtBlocks(service))
    .post("/sql", limitBody, postSql(service))
    .post("/snapshot/score", limitBody, jsonAlone, postSnapshotScore(service))
    .get("/pools/:pool/time-in-range", jsonAlone, getTimeInRange(service))
    .get("/pools/:pool/history", jsonAlone, getPoolHistory(service))
    .get("/shares/:share/history", jsonAlone, getShareHistory(service))
    .get("/quote", jsonAlone, getQuote(service))
    .get("/router/quote", jsonAlone, getRouterQuote(service))
    .get("/tokens", jsonAlone, getTokens(service))
    .post("/tokens", limitBody, jsonAlone, postTokens(service))
    .get("/launch/:chainId/tokens", jsonAlone, getLaunches(service))
    .get("/launch/:chainId/tokens/:address", jsonAlone, getLaunch(service))
    .get("/launch/:chainId/tokenList.json", jsonAlone, getLaunchTokenList(service))
    .get("/vaults", jsonAlone, getVaults(service))
    .get("/vaults/:id", jsonAlone, getVault(service))
    .get("/baults", jsonAlone, getBaults(service))
    .get("/status", async (c) => {
      const shown = await askStatus(service, c);
      return c.json({ ...shown, sql: await sqlStatusOf(service, shown.chainId) });
    })
    .get("/openapi.json", (c) => c.json(document))
    .route("/docs", referenceRoutes())
    .get("/health", (c) => c.json({ status: "ok" }))
    .get("/ready", async (c) => ready(c, await askStatus(service, c)))
    .get("/metrics", async (c) =>
      c.text(await renderMetrics(service), 200, { "content-type": "text/plain; version=0.0.4" }),
    );
}

/** For answers that have JSON as their only form. @throws InvalidInputError naming `format` where another one is asked for */
const jsonAlone: MiddlewareHandler = async (c, next) => {
  if (parseFormat(c.req.query("format")) !== "json")
    throw new InvalidInputError("format", "must be json, or be left out: this answer has no other form");
  await next();
};

/** After this long without an answer the database counts as hanging. */
const LONGEST_STATUS_MS = 5_000;

async function askStatus(service: Service, c: Context): Promise<Status> {
  const chainId = chainIdOf(c.req.query("chainId"));
  return withinTime(LONGEST_STATUS_MS, (signal) => {
    const scope = new RequestScope(service, signal);
    // the answer need not wait for the end of the scope, which never fails
    return scope.run(status, {}, chainId).finally(() => void scope.close());
  });
}

/** 200 only when the head can be answered, and will be: from whichever build is live. @throws NotReadyError */
function ready(c: Context, { state, reason, lastSyncedBlock, chainHead, fold, builds, parts }: Status): Response {
  if (state === "ready") return c.json({ ready: true, lastSyncedBlock, ponderSchema: builds?.ponderSchema ?? null });
  const failing = parts.filter((part) => part.state !== "working");
  const details = { lastSyncedBlock, chainHead, foldedUpTo: fold?.watermark ?? null, parts: failing };
  throw new NotReadyError(state, reason, details);
}
