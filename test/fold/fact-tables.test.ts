import { describe, expect, it } from "vitest";
import { everyFactTable, foldedTables } from "../../core/fact-tables.ts";
import { ledgers } from "../../core/ledgers/registry.ts";
import { ponderTables } from "../../scripts/ponder-tables.ts";

describe("the list of fact tables", () => {
  it("is in the order of ponder.schema.ts, in which Ponder locks them", () => {
    const names = ponderTables().map(({ name }) => name);
    expect(everyFactTable).toEqual(names);
    expect(names.filter((name) => foldedTables.includes(name))).toEqual(foldedTables);
  });

  it("has every table that a ledger reads", () => {
    expect(ledgers.flatMap(({ facts }) => facts).filter((table) => !foldedTables.includes(table))).toEqual([]);
  });
});
