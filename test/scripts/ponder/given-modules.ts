// A process of its own that loads Ponder's modules as Ponder's process does, and prints which of ours each importer was given, as JSON.
import { registerHooks } from "node:module";
import { replaceImports } from "../../../scripts/ponder/imports.ts";

const PONDER = new URL("../../../node_modules/ponder/dist/esm/", import.meta.url);
const IMPORTER = /\/(?:ponder\/dist\/esm|drizzle-orm)\/(.+)$/;
const given: Record<string, string> = {};

replaceImports();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const importer = context.parentURL?.match(IMPORTER)?.[1];
    const ours = found.url.split("/scripts/ponder/")[1];
    if (importer !== undefined && ours !== undefined) given[importer] = ours;
    return found;
  },
});
for (const name of ["build/config.js", "runtime/historical.js", "sync-realtime/index.js", "sync-store/index.js"])
  await import(new URL(name, PONDER).href);
console.log(JSON.stringify(given));
