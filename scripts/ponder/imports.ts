// How modules are found for Ponder 0.17.7: our replacements for some that it, or the drizzle-orm that it uses, imports, each of which
// says why it is there, neighbours without a search, and each package once for all files of a package that import it.
import { type ResolveFnOutput, registerHooks } from "node:module";

interface Replaced {
  /** The importing file, below the package's own files. */
  by: RegExp;
  specifier: RegExp;
  /** Our module. */
  with: string;
}

const REPLACED: readonly Replaced[] = [
  { by: /\/ponder\/dist\/esm\/sync-realtime\/bloom\.js$/, specifier: /^viem$/, with: "./remembered-hashes.ts" },
  {
    by: /\/ponder\/dist\/esm\/build\/config\.js$/,
    specifier: /^\.\.\/runtime\/filter\.js$/,
    with: "./read-columns.ts",
  },
  {
    by: /\/ponder\/dist\/esm\/runtime\/historical\.js$/,
    specifier: /^\.\.\/utils\/generators\.js$/,
    with: "./queued-once.ts",
  },
  { by: /\/ponder\/dist\/esm\/internal\/logger\.js$/, specifier: /^pino$/, with: "./outliving-log.ts" },
  { by: /\/drizzle-orm\/.+\.js$/, specifier: /^(\.|\.\.)\/(.*\/)?entity\.js$/, with: "./remembered-kinds.ts" },
];

/**
 * Packages whose `.js` files are all ES modules. Node reads the package.json of every module that it resolves; that of drizzle-orm has
 * 175 kB, and most of Ponder's start-up went into it.
 */
const ES_PACKAGES = /\/node_modules\/(drizzle-orm|ponder\/dist\/esm|viem\/_esm)\//;
const NEIGHBOUR = /^\.\.?\/.+\.js$/;

/** The package of an importing file: a name means the same in all of its files. */
const PACKAGE = /^file:.*\/node_modules\/(@[^/]+\/)?[^/]+\//;
const NAME = /^(@[\w-]+\/)?[\w-]/;

/** To be called before Ponder is loaded. */
export function replaceImports(): void {
  const named = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL ?? "";
      const replaced = REPLACED.find((one) => one.specifier.test(specifier) && one.by.test(parent));
      if (replaced) return next(new URL(replaced.with, import.meta.url).href, context);
      if (NEIGHBOUR.test(specifier) && ES_PACKAGES.test(parent))
        return { url: new URL(specifier, parent).href, format: "module", shortCircuit: true };
      const [importer] = PACKAGE.exec(parent) ?? [];
      if (importer === undefined || !NAME.test(specifier)) return next(specifier, context);
      // `import` and `require` may find different files
      const key = [importer, specifier, ...context.conditions].join(" ");
      const known = named.get(key);
      if (known) return { ...known, shortCircuit: true };
      const found = next(specifier, context);
      named.set(key, found);
      return found;
    },
  });
}
