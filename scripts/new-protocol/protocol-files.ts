// The files of a new protocol, empty enough that the architecture test names what is missing in each.

/** In the words of test/support/protocol-rules.ts, in this order. */
export const readmeHeadings = [
  "Contracts",
  "Events",
  "What no event says",
  "What its shares are backed by",
  "Traps",
  "In the code",
] as const;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `lend-pool` → `lendPool`. */
export const camelCased = (name: string): string =>
  name
    .split("-")
    .map((word, i) => (i === 0 ? word : capitalised(word)))
    .join("");

/** Texts by path, relative to the project. */
export function protocolFiles(name: string): Record<string, string> {
  const camel = camelCased(name);
  const constant = name.replaceAll("-", "_").toUpperCase();
  return {
    [`abis/${name}.ts`]: `// What the contracts of ${name} log: only the events that are indexed.
import type { Abi } from "viem";

export const ${camel}Abi = [] as const satisfies Abi;
`,
    [`src/protocols/${name}/contracts.ts`]: `// Where facts of ${name} come from. Spread into ponder.config.ts.
import type { Indexing } from "../../../chains/indexing.ts";

export function ${camel}Contracts(_indexing: Indexing) {
  return {} as const;
}
`,
    [`src/protocols/${name}/handlers.ts`]: `// Facts of ${name}: one insert per event, no arithmetic.
export {};
`,
    [`src/protocols/${name}/index.ts`]: `// Contents page: which event goes to which handler.
import "./handlers.ts";
`,
    [`src/protocols/${name}/README.md`]: `# ${capitalised(name.replaceAll("-", " "))}

${readmeHeadings.map((heading) => `## ${heading}\n`).join("\n")}
[contracts](contracts.ts) · [handlers](handlers.ts) · [ledger](../../../core/ledgers/${name}.ts) ·
[backing](../../../gateway/protocols/${name}/backing.ts)
`,
    [`core/ledgers/${name}.ts`]: `// What the facts of ${name} do to holdings.
import type { AdditiveLedger } from "./additive-ledger.ts";

export const ${constant} = "${name}";

export const ${camel}Ledger: AdditiveLedger = {
  name: "${name}",
  facts: [],
  deltas: () => \`
    select null::int4 as block, null::int4 as log_index, null::text as kind, null::text as key, null::text as account,
           null::numeric as delta where false\`,
};
`,
    [`gateway/protocols/${name}/backing.ts`]: `// What the contracts of ${name} hold, and for whom.
import type { Protocol } from "../../backing/protocol.ts";

export const ${camel}Protocol: Protocol = {
  name: "${name}",
  open: async () => undefined,
};
`,
    [`test/gateway/${name}-balances.test.ts`]: `// Balances through ${name}, at final and at recent blocks.
import { describe, it } from "vitest";

describe("balances through ${name}", () => {
  it.todo("are what the contract would pay");
});
`,
  };
}
