// Lets this process import pages. Node strips types but cannot read JSX, so each .tsx is compiled to plain calls when it is
// imported; nothing is built beforehand, and a process that shows no pages has no cost.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";
import type { Pages } from "./pages.tsx";

const JSX = { lang: "tsx", jsx: { runtime: "automatic", importSource: "hono/jsx" } } as const;

function registerJsx(): void {
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith("file:") || !url.endsWith(".tsx")) return next(url, context);
      const path = fileURLToPath(url);
      const { code, errors } = transformSync(path, readFileSync(path, "utf8"), JSX);
      const [problem] = errors;
      if (problem) throw new SyntaxError(`${path}: ${problem.message}`);
      return { format: "module", source: code, shortCircuit: true };
    },
  });
}

/** The explorer. Call it once: from then on .tsx can be imported anywhere in the process. */
export async function loadPages(): Promise<Pages> {
  registerJsx();
  const { pages } = await import("./pages.tsx");
  return pages;
}
