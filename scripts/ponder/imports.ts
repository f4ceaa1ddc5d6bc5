// Our replacements for modules that Ponder 0.17.7, or the drizzle-orm that it uses, imports. Each replacement says why it is there.
import { registerHooks } from "node:module";

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

/** To be called before Ponder is loaded. */
export function replaceImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL ?? "";
      const replaced = REPLACED.find((one) => one.specifier.test(specifier) && one.by.test(parent));
      return replaced ? next(new URL(replaced.with, import.meta.url).href, context) : next(specifier, context);
    },
  });
}
