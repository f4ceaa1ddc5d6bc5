// The lines that make a new protocol known. Each registry is one list; the formatter puts the lines in their place.
import { camelCased } from "./protocol-files.ts";

interface Registry {
  path: string;
  import(name: string): string;
  /** The list's text up to its end, and what ends it. */
  list: RegExp;
  entry(name: string): string;
}

const registries: readonly Registry[] = [
  {
    path: "ponder.config.ts",
    import: (name) => `import { ${camelCased(name)}Contracts } from "./src/protocols/${name}/contracts.ts";`,
    list: /(\n {4}\.\.\.\w+Contracts\(indexing\)),?(\n {2}\})/,
    entry: (name) => `,\n    ...${camelCased(name)}Contracts(indexing),`,
  },
  {
    path: "core/ledgers/registry.ts",
    import: (name) => `import { ${camelCased(name)}Ledger } from "./${name}.ts";`,
    list: /(\bledgers: [^=]*= \[[^\]]*?),?(\s*\];)/,
    entry: (name) => `, ${camelCased(name)}Ledger`,
  },
  {
    path: "gateway/balances/registry.ts",
    import: (name) => `import { ${camelCased(name)}Protocol } from "../protocols/${name}/backing.ts";`,
    list: /(\bprotocols: [^=]*= \[[^\]]*?),?(\s*\];)/,
    entry: (name) => `, ${camelCased(name)}Protocol`,
  },
];

export const registryPaths: readonly string[] = registries.map(({ path }) => path);

/** The registry at `path` with `name` in it. @throws Error when its list is not where it used to be */
export function registered(path: string, name: string, text: string): string {
  const registry = registries.find((one) => one.path === path);
  const lastImport = [...text.matchAll(/^import .*;$/gm)].at(-1);
  if (!registry || lastImport === undefined || !registry.list.test(text))
    throw new Error(`${path} does not look as expected: add ${name} to it by hand`);
  const at = lastImport.index;
  const imported = `${text.slice(0, at)}${registry.import(name)}\n${text.slice(at)}`;
  return imported.replace(registry.list, (_, list: string, end: string) => `${list}${registry.entry(name)}${end}`);
}
