// /metrics: what it writes is right, all of it is explained, and the dashboard asks for nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { registry } from "../../gateway/instruments.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { PLAIN, quarantineSql, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

/** Every line by `name{labels}`. */
async function scrape(): Promise<Map<string, number>> {
  const { status, text } = await gateway.get("/metrics");
  expect(status).toBe(200);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const CHAIN = '{chain="fixture"}';

describe("before there is an index", () => {
  it("says that it is not ready, and nothing that it does not know", async () => {
    const found = await scrape();
    expect(found.get(`tidemark_ready${CHAIN}`)).toBe(0);
    expect(found.has(`tidemark_sync_lag_blocks${CHAIN}`)).toBe(false);
    expect(found.has(`tidemark_quarantined_tokens${CHAIN}`)).toBe(false);
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  });
});

describe("with an index", () => {
  beforeAll(async () => {
    await buildIndex(database.sql, { ...smallIndex, chainHead: 120 });
    await database.sql.unsafe(quarantineSql(smallIndex));
    await database.sql`insert into tidemark.reorg (chain_id, block, hash, depth) values
      (31337, 101, '0xa', 2), (31337, 103, '0xb', 7), (1, 103, '0xb', 9)`;
  });

  it("shows the index's condition", async () => {
    const found = await scrape();
    const { body } = await gateway.get("/status");
    const expected = {
      ready: 1,
      chain_head_block: 120,
      last_synced_block: 115,
      sync_lag_blocks: 5,
      indexed_blocks: 16,
      indexed_facts: smallIndex.facts.length + 16,
      fold_watermark_block: 115,
      finalized_block: 110,
      reorgs_seen: 2,
      deepest_reorg_blocks: 7,
      quarantined_tokens: body.quarantinedCount,
      stopped_pools: 0,
      waiting_steps: 0,
      waiting_contracts: 0,
      node_unreachable: 0,
      blooms_checked: 1,
      tracked_tokens: 6,
    };
    for (const [name, value] of Object.entries(expected))
      expect([name, found.get(`tidemark_${name}${CHAIN}`)]).toEqual([name, value]);
    const age = Number(found.get(`tidemark_sync_lag_seconds${CHAIN}`));
    expect(age).toBeGreaterThan(Date.now() / 1000 - Number(body.lastSyncedTimestamp) - 600);
    expect(found.get("tidemark_open_snapshots")).toBe(0);
  });

  it("counts requests by route, questions by operation and how they ended", async () => {
    const before = await scrape();
    await gateway.get(`/balances/${PLAIN}?blockNumber=110`);
    await gateway.get(`/balances/${PLAIN}?blockNumber=1`);
    await gateway.graphql(`{ token(address: "${PLAIN}") { symbol } tokens(first: 1) { nodes { symbol } } }`);
    const after = await scrape();
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const requests = (status: number) =>
      grown(`tidemark_http_request_seconds_count{route="/balances/:token",method="GET",status="${status}"}`);
    expect([requests(200), requests(400)]).toEqual([1, 1]);
    expect(grown('tidemark_http_request_seconds_count{route="/graphql",method="POST",status="200"}')).toBe(1);
    const questions = (operation: string, outcome: string) =>
      grown(`tidemark_operation_seconds_count{chain="fixture",operation="${operation}",outcome="${outcome}"}`);
    expect(questions("token", "ok")).toBe(1);
    expect(questions("tokens", "ok")).toBe(1);
    const refused = [...after.keys()].filter((name) => /operation_seconds_count.*outcome="INVALID_INPUT"/.test(name));
    expect(refused.map(grown)).toContain(1);
    expect(grown("tidemark_database_wait_seconds_count")).toBeGreaterThan(2);
  });

  it("is not ready while the node is not heard of", async () => {
    expect((await gateway.get("/ready")).body).toEqual({
      ready: true,
      lastSyncedBlock: 115,
      ponderSchema: "facts_small",
    });
    await database.sql`update tidemark.chain_head set updated_at = now() - interval '61 seconds', rpc_error = 'refused'`;
    const { status, body } = await gateway.get("/ready");
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code: "NODE_UNAVAILABLE", details: { state: "unknown" } });
    const found = await scrape();
    expect(found.get(`tidemark_ready${CHAIN}`)).toBe(0);
    expect(found.get(`tidemark_node_unreachable${CHAIN}`)).toBe(1);
    expect(found.get(`tidemark_chain_head_age_seconds${CHAIN}`)).toBeGreaterThanOrEqual(60);
    expect((await gateway.get(`/balances/${PLAIN}?blockNumber=110`)).status).toBe(200);
  });
});

interface Written {
  name: string;
  type: string;
  labels: string[];
}

/** What the registry writes, histograms as the series that they are. */
function everySeries(): Map<string, Set<string>> {
  const metrics = registry.getMetricsAsArray() as unknown as (Omit<Written, "labels"> & { labelNames?: string[] })[];
  return new Map(
    metrics.flatMap(({ name, type, labelNames = [] }): [string, Set<string>][] =>
      type === "histogram"
        ? [
            [`${name}_bucket`, new Set([...labelNames, "le"])],
            [`${name}_sum`, new Set(labelNames)],
            [`${name}_count`, new Set(labelNames)],
          ]
        : [[name, new Set(labelNames)]],
    ),
  );
}

const root = new URL("../../", import.meta.url);
const dashboards = readdirSync(new URL("ops/grafana", root)).map((file) => `ops/grafana/${file}`);
/** Prometheus adds these to everything that it scrapes. */
const ADDED = ["job", "instance"];

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

describe("the dashboard", () => {
  it.each(dashboards)("%s asks only for what /metrics writes", (file) => {
    const series = everySeries();
    const { panels, templating } = JSON.parse(readFileSync(new URL(file, root), "utf8")) as {
      panels: Panel[];
      templating: { list: { query: string | { query: string } }[] };
    };
    const variables = templating.list.map(({ query }) => (typeof query === "string" ? query : query.query));
    const queries = [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...variables];
    expect(queries.length).toBeGreaterThan(30);
    const names = queries.flatMap((expr) => expr.match(/\b(?:tidemark|process|nodejs)_\w+/g) ?? []);
    expect(names.filter((name) => !series.has(name))).toEqual([]);
    const unlabelled = queries.flatMap((expr) => {
      const labels = new Set(
        (expr.match(/\b(?:tidemark|process|nodejs)_\w+/g) ?? []).flatMap((name) => [...(series.get(name) ?? [])]),
      );
      const used = [
        ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => (list ?? "").split(/,\s*/)),
        ...[...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)"/g)].map(([, label]) => label ?? ""),
      ];
      return used.filter((label) => !labels.has(label) && !ADDED.includes(label)).map((label) => `${label} in ${expr}`);
    });
    expect(unlabelled).toEqual([]);
  });

  it("shows everything that is counted", () => {
    const text = dashboards.map((file) => readFileSync(new URL(file, root), "utf8")).join();
    const own = registry.getMetricsAsArray().filter(({ name }) => name.startsWith("tidemark_"));
    expect(own.length).toBeGreaterThan(25);
    expect(own.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe("the alerts", () => {
  interface Rule {
    alert: string;
    expr: string;
    for?: string;
  }
  const { groups } = parse(readFileSync(new URL("ops/prometheus/tidemark.yaml", root), "utf8")) as {
    groups: { rules: Rule[] }[];
  };
  const rules = groups.flatMap((group) =>
    group.rules.map(({ alert, expr, for: lasting }) => ({ alert, expr, lasting })),
  );

  it("ask only for what /metrics writes", () => {
    const series = everySeries();
    const names = rules.map(({ expr }) => expr.match(/\b(?:tidemark|process|nodejs)_\w+/g) ?? []);
    expect(names.filter((found) => found.length === 0)).toEqual([]);
    expect(names.flat().filter((name) => !series.has(name))).toEqual([]);
  });

  it("are those of the table in docs/operations.md, one by one", () => {
    const document = readFileSync(new URL("docs/operations.md", root), "utf8");
    const rows = [...document.matchAll(/^\| `(Tidemark\w+)` \| `(.+?)` \| (\S+) \|/gm)];
    expect(rows.length).toBeGreaterThan(10);
    const stated = rows.map(([, alert, expr, lasting]) => ({
      alert,
      expr,
      lasting: lasting === "–" ? undefined : lasting,
    }));
    expect(rules).toEqual(stated);
  });
});

describe("docs/operations.md", () => {
  it("explains every metric of ours, and no other", () => {
    const document = readFileSync(new URL("docs/operations.md", root), "utf8");
    const own = registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith("tidemark_"));
    expect(own.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
    const named = [...document.matchAll(/`(tidemark_\w+)`/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => !own.includes(name))).toEqual([]);
  });
});
