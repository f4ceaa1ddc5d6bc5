// The house's laws as this project sets them: from a tree of code to sentences about what breaks them. Each has a test file
// of its own name, which shows it a violation before it trusts it.
import { gatewayFloors } from "./gateway-floors.ts";
import { importsInCircles } from "./import-graph.ts";
import { upwardImports } from "./layers.ts";
import { loneQuestions } from "./lone-questions.ts";
import { moduleState, type StateRules } from "./module-state.ts";
import { parityProblems } from "./operations-parity.ts";
import { type PageDoors, pagesBehindDoors } from "./page-doors.ts";
import { type Door, filesNamingPonder } from "./ponder-door.ts";
import { protocolCrossings } from "./protocol-borders.ts";
import { projectTree, type SourceTree } from "./source-tree.ts";

const SHOWN = "shows operators which build answers, and reads nothing from it";

export const stateRules: StateRules = {
  under: ["gateway/", "core/"],
  allowed: {
    "gateway/main.ts": "the program itself, which nothing imports: what it holds are the parts it was made of",
    "gateway/metrics/index-gauges.ts: ready": "an instrument, made by a function",
  },
  // prom-client's, and what is made of them: they belong to the process, count, and answer nobody's question
  instruments: {
    under: ["gateway/instruments.ts", "gateway/metrics/"],
    classes: ["Registry", "Counter", "Gauge", "Histogram", "UseGauge"],
  },
};

export const door: Door = {
  under: "gateway/",
  door: "gateway/history/raw-facts.ts",
  shows: {
    "gateway/questions/status.ts": SHOWN,
    "gateway/rest/openapi/service.ts": SHOWN,
    "gateway/rest/routes.ts": SHOWN,
  },
};

export const pageDoors: PageDoors = {
  under: "gateway/pages/",
  doors: [
    ...["gateway/questions/", "core/", "chains/"],
    ...["gateway/context.ts", "gateway/errors.ts", "gateway/numbers.ts", "gateway/parameters.ts"],
    // what a market's sums mean; which hours and days a series has
    ...["gateway/analytics/market-sums.ts", "gateway/analytics/buckets.ts"],
    // when the client leaves, whether it is a browser, the files it loads; how blocks are named; what a USD amount is
    ...["gateway/http/node-request.ts", "gateway/http/is-browser.ts", "gateway/http/served-files.ts"],
    ...["gateway/history/block-choice.ts", "gateway/prices/price.ts"],
  ],
};

export const laws = {
  "import-graph": (tree: SourceTree): string[] => importsInCircles(tree),

  "module-state": (tree: SourceTree): string[] => moduleState(tree, stateRules),

  "ponder-door": (tree: SourceTree): string[] => filesNamingPonder(tree, door),

  "protocol-borders": (tree: SourceTree): string[] => protocolCrossings(tree),

  layers: (tree: SourceTree): string[] => upwardImports(tree, "gateway/", gatewayFloors),

  "page-doors": (tree: SourceTree): string[] => pagesBehindDoors(tree, pageDoors),

  "operations-parity": (tree: SourceTree): string[] =>
    parityProblems(tree, {
      folders: { rest: "gateway/rest/", graphql: "gateway/graphql/" },
      alone: loneQuestions,
      cases: "test/seeded/parity-cases.ts",
    }),
} as const;

/** What breaks the law in this project. */
export const violationsOf = (law: keyof typeof laws): string[] => laws[law](projectTree());
