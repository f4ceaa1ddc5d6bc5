// `npm run lint:openapi`: Redocly's and Spectral's recommended rules over the OpenAPI document, not one warning allowed. Both
// are large and of no other use here, so they are installed into a temporary folder; this needs a registry.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openapiDocument } from "../gateway/rest/openapi/document.ts";

const PACKAGES = ["@redocly/cli@2.77.0", "@stoplight/spectral-cli@6.16.3"];

const folder = mkdtempSync(join(tmpdir(), "tidemark-lint-openapi-"));
const document = join(folder, "openapi.json");
const rules = join(folder, ".spectral.yaml");
const run = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { cwd: folder, stdio: "inherit" }).status === 0;
const runTool = (path: string, args: readonly string[]): boolean =>
  run(process.execPath, [join(folder, "node_modules", path), ...args]);

try {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  writeFileSync(document, JSON.stringify(openapiDocument("0.0.0"), null, 2));
  writeFileSync(rules, 'extends: ["spectral:oas"]\n');
  const isClean =
    run("npm", ["install", "--no-audit", "--no-fund", "--silent", ...PACKAGES]) &&
    runTool("@redocly/cli/bin/cli.js", ["lint", "--extends=recommended", "--max-problems=100", document]) &&
    runTool("@stoplight/spectral-cli/dist/index.js", ["lint", "--fail-severity=hint", "-r", rules, document]);
  console.log(isClean ? "the OpenAPI document is clean" : "the OpenAPI document is not clean");
  process.exitCode = isClean ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
