import { describe, expect, it } from "vitest";
import { everyFactTable, factTables } from "../../core/fact-tables.ts";
import { ledgers } from "../../core/ledgers/registry.ts";
import { ponderTables } from "../../scripts/ponder-tables.ts";

describe("the list of fact tables", () => {
  it("is in the order of ponder.schema.ts, in which Ponder locks them", () => {
    const names = ponderTables().map(({ name }) => name);
    expect(everyFactTable).toEqual(names);
    expect(names.filter((name) => factTables.includes(name))).toEqual(factTables);
  });

  it("has every table that a ledger reads", () => {
    expect(ledgers.flatMap(({ facts }) => facts).filter((table) => !factTables.includes(table))).toEqual([]);
  });
});
