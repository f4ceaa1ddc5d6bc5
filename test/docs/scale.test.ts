// docs/scale.md says what plan/measured.json says.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRuns } from "../../bench/scale/measured-file.ts";
import { requestsTable } from "../../bench/scale/requests-table.ts";
import { sizesTable } from "../../bench/scale/sizes-table.ts";
import { figuresOf, readMeasured } from "../../plan/measured.ts";
import { EVENTS, planOfSize, scaleTables, withTables } from "../../plan/scale-tables.ts";

const document = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const measured = readMeasured();
const figures = figuresOf(measured);

describe("docs/scale.md", () => {
  it("has the tables that follow from the measured figures; `npm run bench -- scale --phases tables` writes them", () => {
    const tables = {
      ...scaleTables(figures, measured),
      sizes: sizesTable(readRuns()),
      requests: requestsTable(readRuns().requests),
    };
    expect(withTables(document, tables)).toBe(document);
    // a table that changes is noticed
    expect(withTables(document, { ...tables, disk: "| other |" })).not.toBe(document);
  });

  it("refuses a document without a place for a table", () => {
    expect(() => withTables("# Scale", { disk: "| |" })).toThrow("<!-- disk -->");
  });

  it("names every figure that its formulae use", () => {
    const names = Object.entries(measured.figures).flatMap(([group, named]) =>
      Object.keys(named).flatMap((name) => [name, `${group}.${name}`]),
    );
    const formulae = document.slice(document.indexOf("## Formulae"), document.indexOf("## Figures"));
    const used = [...formulae.matchAll(/`([a-z]+(?:\.[a-zA-Z]+|[A-Z][A-Za-z]*))`/g)].map(([, name]) => name!);
    const options = ["pollingIntervalMs"];
    expect(used.filter((name) => !names.includes(name) && !options.includes(name))).toEqual([]);
    expect(used.length).toBeGreaterThan(25);
  });

  it("shows plans that grow with the number of events", () => {
    const plans = EVENTS.map((events) => planOfSize(figures, { events, cores: 2, rpcRate: 100 }));
    for (const [i, plan] of plans.entries()) {
      const before = plans[i - 1];
      if (!before) continue;
      expect(plan.postgres.total / before.postgres.total).toBeCloseTo(10, 1);
      expect(plan.hours.backfill).toBeGreaterThan(9 * before.hours.backfill);
    }
  });
});
