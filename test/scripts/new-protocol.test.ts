// A new protocol must compile from the start, and nobody must be able to forget to fill it.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProtocol, ProtocolNameError } from "../../scripts/new-protocol/create-protocol.ts";
import { protocolProblems } from "../support/protocol-rules.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const copied = ["abis", "chains", "core", "fold", "gateway", "src", "test/gateway"];
const copiedFiles = ["ponder.config.ts", "ponder.schema.ts", "ponder-env.d.ts", "package.json"];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-protocol-"));
  for (const path of [...copied, ...copiedFiles]) cpSync(join(project, path), join(root, path), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(root, path), "utf8");

function typeErrors(paths: readonly string[]): string[] {
  const { compilerOptions } = JSON.parse(readFileSync(join(project, "tsconfig.json"), "utf8")) as {
    compilerOptions: object;
  };
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const names = paths.map((path) => join(root, path));
  const program = ts.createProgram(names, options);
  const diagnostics = names.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)));
  return diagnostics.map(({ file, messageText }) => {
    return `${file?.fileName.replace(`${root}/`, "")}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("a new protocol", () => {
  it.each(["Demo", "demo_pool", "-demo", "demo--pool", "1demo", "../demo", ""])("is not named %j", (name) => {
    expect(() => createProtocol(root, name)).toThrow(ProtocolNameError);
  });

  it.each(["v2", "infrared", "stake"])("does not take the place of %s", (name) => {
    const before = read("ponder.config.ts");
    expect(() => createProtocol(root, name)).toThrow(ProtocolNameError);
    expect(read("ponder.config.ts")).toBe(before);
  });

  it("has its files and its place in every registry, and compiles", () => {
    expect(protocolProblems(root)).toEqual([]);
    const written = createProtocol(root, "lend-pool");
    expect(written).toEqual([
      "abis/lend-pool.ts",
      ...["contracts.ts", "handlers.ts", "index.ts", "README.md"].map((file) => `src/protocols/lend-pool/${file}`),
      "core/ledgers/lend-pool.ts",
      "gateway/protocols/lend-pool/backing.ts",
      "test/gateway/lend-pool-balances.test.ts",
      "ponder.config.ts",
      "core/ledgers/registry.ts",
      "gateway/balances/registry.ts",
    ]);
    expect(read("ponder.config.ts")).toContain(
      "...launchContracts(indexing),\n    ...lendPoolContracts(indexing),\n  }",
    );
    expect(read("core/ledgers/registry.ts")).toMatch(/, lendPoolLedger\s*\];/);
    expect(read("gateway/balances/registry.ts")).toMatch(/, lendPoolProtocol\s*\];/);
    // ponder.config.ts and vitest bring in far more types than all of these together
    const checked = written.filter(
      (path) => path.endsWith(".ts") && path !== "ponder.config.ts" && !path.startsWith("test/"),
    );
    expect(typeErrors(checked)).toEqual([]);
  });

  it("fails the architecture test until each file is filled", () => {
    const ours = (text: string) => /lend-pool/.test(text);
    expect(protocolProblems(root).filter((problem) => !ours(problem))).toEqual([]);
    expect(protocolProblems(root)).toEqual([
      "src/protocols/lend-pool/contracts.ts names no source: which contracts log its events?",
      "src/protocols/lend-pool/handlers.ts has no handler: which rows do its events become?",
      "src/protocols/lend-pool/index.ts registers no event",
      "abis/lend-pool.ts has no event: which ones are indexed?",
      ...["Contracts", "Events", "What no event says", "What its shares are backed by", "Traps"].map(
        (heading) => `src/protocols/lend-pool/README.md says nothing under "${heading}"`,
      ),
      "gateway/protocols/lend-pool/backing.ts opens nothing: who is there to hold what, for whom, and what stands behind what they issue?",
      "core/ledgers/lend-pool.ts reads no facts: which tables move its holdings?",
      "test/gateway/lend-pool-balances.test.ts has no test yet: compare an answer with the contract",
    ]);
  });

  it("passes once they are", () => {
    const fill = (path: string, change: (text: string) => string) =>
      writeFileSync(join(root, path), change(read(path)));
    fill("abis/lend-pool.ts", () => 'export const lendPoolAbi = parseAbi(["event Lent(address by, uint256 amount)"]);');
    fill(
      "src/protocols/lend-pool/contracts.ts",
      () => "export const lendPoolContracts = () => ({ Pool: { abi: lendPoolAbi } });",
    );
    fill("src/protocols/lend-pool/handlers.ts", () => "export async function onLent() {}");
    fill("src/protocols/lend-pool/index.ts", () => 'ponder.on("Pool:Lent", onLent);');
    fill("src/protocols/lend-pool/README.md", (text) => text.replaceAll(/^## .*$/gm, (heading) => `${heading}\n\nSo.`));
    fill("gateway/protocols/lend-pool/backing.ts", () => "open: () => ({ issuedAgainst: all, behind: none })");
    fill("core/ledgers/lend-pool.ts", (text) => text.replace("facts: []", 'facts: ["lent"]'));
    fill("test/gateway/lend-pool-balances.test.ts", (text) => text.replace("it.todo(", "it("));
    expect(protocolProblems(root)).toEqual([]);
    fill("gateway/balances/registry.ts", (text) => text.replace(/^.*lend-pool.*\n/m, ""));
    expect(protocolProblems(root)).toEqual(["gateway/balances/registry.ts does not have lend-pool"]);
  });
});
