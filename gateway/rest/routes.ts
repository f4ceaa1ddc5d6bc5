// The REST roots: method, path, question. No rules here.
import { readFileSync } from "node:fs";
import type { Context } from "hono";
import { Hono } from "hono";
import { RequestScope, type Service } from "../context.ts";
import { errorBody, UnavailableError } from "../errors.ts";
import { limitBody } from "../http/body-limit.ts";
import { renderMetrics } from "../metrics/render.ts";
import { type Status, status } from "../questions/status.ts";
import { postBalances } from "./balances.ts";
import { getBalancesAs } from "./balances-export.ts";
import { chainIdOf } from "./chain-id.ts";
import { DOCS_POLICY, docsPage } from "./docs-page.ts";
import { getLaunch, getLaunches, getLaunchTokenList } from "./launch.ts";
import { openapiDocument } from "./openapi.ts";
import { getQuote } from "./quote.ts";
import { getChanges, getHistory, getHoldersCount, getTimeWeighted } from "./ranges.ts";
import { getRouterQuote } from "./router-quote.ts";
import { getTokens, postTokens } from "./tokens.ts";
import { getBaults, getVault, getVaults } from "./vaults.ts";

const VERSION = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

export function restRoutes(service: Service): Hono {
  const document = openapiDocument(VERSION);
  const page = docsPage(document);
  return new Hono()
    .get("/balances/:token", getBalancesAs(service))
    .post("/balances/:token", limitBody, postBalances(service))
    .get("/balances/:token/history", getHistory(service))
    .get("/balances/:token/changes", getChanges(service))
    .get("/balances/:token/time-weighted", getTimeWeighted(service))
    .get("/balances/:token/holders-count", getHoldersCount(service))
    .get("/quote", getQuote(service))
    .get("/router/quote", getRouterQuote(service))
    .get("/tokens", getTokens(service))
    .post("/tokens", limitBody, postTokens(service))
    .get("/launch/:chainId/tokens", getLaunches(service))
    .get("/launch/:chainId/tokens/:address", getLaunch(service))
    .get("/launch/:chainId/tokenList.json", getLaunchTokenList(service))
    .get("/vaults", getVaults(service))
    .get("/vaults/:id", getVault(service))
    .get("/baults", getBaults(service))
    .get("/status", async (c) => c.json(await askStatus(service, c)))
    .get("/openapi.json", (c) => c.json(document))
    .get("/docs", (c) => c.html(page, 200, { "content-security-policy": DOCS_POLICY }))
    .get("/health", (c) => c.json({ status: "ok" }))
    .get("/ready", async (c) => ready(c, await askStatus(service, c)))
    .get("/metrics", async (c) =>
      c.text(await renderMetrics(service), 200, { "content-type": "text/plain; version=0.0.4" }),
    );
}

async function askStatus(service: Service, c: Context): Promise<Status> {
  const scope = new RequestScope(service);
  try {
    return await scope.run(status, {}, chainIdOf(c.req.query("chainId")));
  } finally {
    // the answer need not wait for it, and it never fails
    void scope.close();
  }
}

const WAITING = {
  starting: "STARTING",
  backfilling: "CATCHING_UP",
  folding: "INDEX_FOLDING",
  unknown: "CATCHING_UP",
  stopped: "CATCHING_UP",
} as const;

/** 200 only when the head's block can be answered, from whichever build is live. */
function ready(c: Context, { state, reason, lastSyncedBlock, chainHead, fold, builds }: Status): Response {
  if (state === "ready") return c.json({ ready: true, lastSyncedBlock, ponderSchema: builds?.ponderSchema ?? null });
  const details = { state, lastSyncedBlock, chainHead, foldedUpTo: fold?.watermark ?? null };
  const error = new UnavailableError(WAITING[state], `Not ready: ${reason ?? state}`, details);
  return c.json(errorBody(error), 503, { "retry-after": "2" });
}
