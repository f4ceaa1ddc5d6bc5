// Modules that take the place of one which a module of Ponder 0.17.7 imports: what they hold says why.
import { registerHooks } from "node:module";

/** By the importing file, below Ponder's own `dist/esm`. */
const REPLACED: Readonly<Record<string, { specifier: string; by: string }>> = {
  "sync-realtime/bloom.js": { specifier: "viem", by: "./remembered-hashes.ts" },
  "build/config.js": { specifier: "../runtime/filter.js", by: "./read-columns.ts" },
};
const PLACE = /\/ponder\/dist\/esm\/(.+)$/;

/** To be called before Ponder is loaded. */
export function replaceImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const replaced = REPLACED[context.parentURL?.match(PLACE)?.[1] ?? ""];
      if (replaced?.specifier !== specifier) return next(specifier, context);
      return next(new URL(replaced.by, import.meta.url).href, context);
    },
  });
}
