// Modules of gateway/ and core/ hold no state: what is remembered between requests lies in the cache, or hangs on the service.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const sources = ["core", "gateway"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(".ts") && name !== "main.ts")
    .map(({ parentPath, name }) => join(parentPath, name)),
);

/** Go with their mechanism. No file is to be added. */
const LEFT = [
  "core/router/curve.ts",
  "core/router/v3-steps.ts",
  "gateway/island/overlay.ts",
  "gateway/ledger/as-of.ts",
  "gateway/ledger/block-changes.ts",
  "gateway/ledger/changes-above.ts",
  "gateway/ledger/facts-above.ts",
  "gateway/ledger/few-holders.ts",
  "gateway/ledger/glance.ts",
  "gateway/ledger/kept-overlays.ts",
  "gateway/ledger/kept-supplies.ts",
  "gateway/ledger/kept-token-states.ts",
  "gateway/ledger/look.ts",
  "gateway/ledger/recall-point.ts",
  "gateway/ledger/told-at.ts",
  "gateway/ledger/tokens-above.ts",
  "gateway/ledger/watermark-memory.ts",
  "gateway/lookthrough/kept-issuers.ts",
  "gateway/lookthrough/ledger-at.ts",
  "gateway/operations/kept-texts.ts",
  "gateway/v3/kept-pool-states.ts",
  "gateway/v3/overlay.ts",

  "gateway/warm-up/asked-lately.ts",
  // the open snapshots, whose number and age are metrics
  "gateway/metrics/instruments.ts",
];

const STORES = /^new (Weak)?(Map|Set)\b.*\(\)$|^keepAnswers\b/s;
/** Their state is prom-client's. */
const METRICS = /^new (Counter|Gauge|Histogram)\b/;
const CHANGES = /\.(set|add|push|unshift|delete|clear|pop|shift|splice)$/;

/** Names of variables at the top of a file that the rest of it changes. */
function stateOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const changed = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && CHANGES.test(node.expression.getText()))
      changed.add(node.expression.getText().replace(CHANGES, ""));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
    return declarationList.declarations
      .filter(({ name, initializer }) => {
        const text = initializer?.getText() ?? "";
        return !isConstant || STORES.test(text) || (changed.has(name.getText()) && !METRICS.test(text));
      })
      .map(({ name }) => `${path.slice(root.length)}: ${name.getText()}`);
  });
}

it("modules hold no state between requests", () => {
  const state = sources.flatMap(stateOf);
  expect(sources.length).toBeGreaterThan(100);
  expect(state.filter((place) => !LEFT.includes(place.split(":")[0] ?? ""))).toEqual([]);
});
