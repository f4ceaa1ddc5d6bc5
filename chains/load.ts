// Reads and checks chain files. Every failure is one line: which file, which field, what to change.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { type ChainFile, chainFileSchema } from "./chain-file.ts";

const SHIPPED_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/**
 * The chain file `CHAIN` names: a bare name is `chains/<name>.json`, anything with a slash or ending in `.json` is a
 * path relative to the working directory.
 * @throws ChainFileError when the file is missing, is not JSON, or breaks the shape of chain-file.ts
 */
export function loadChain(nameOrPath: string): ChainFile {
  const file = locate(nameOrPath);
  const shown = display(file);
  const checked = chainFileSchema.safeParse(parse(file, shown));
  if (checked.success) return checked.data;
  throw new ChainFileError(shown, checked.error.issues.map(describe));
}

/**
 * The comma-separated value of `CHAIN`; the first chain is the default one.
 * @throws ChainFileError as {@link loadChain}, and when two files have one chain id or one name
 */
export function loadChains(list: string): [ChainFile, ...ChainFile[]] {
  const names = list.split(",").map((name) => name.trim());
  const [first, ...rest] = names.map(loadChain);
  if (first === undefined) throw new ChainFileError("CHAIN is empty: name a chain file, e.g. CHAIN=devnet");
  const chains: [ChainFile, ...ChainFile[]] = [first, ...rest];
  const places = chains.map((chain, index) => ({ chain, place: names[index] ?? chain.name }));
  for (const [index, { chain, place }] of places.entries())
    for (const before of places.slice(0, index)) refuseTwins(before, { chain, place });
  return chains;
}

interface Place {
  chain: ChainFile;
  /** What `CHAIN` calls it. */
  place: string;
}

/** Requests choose a chain by its id; metrics and the explorer's pages name chains, so names must differ, too. */
function refuseTwins({ chain: one, place: first }: Place, { chain: other, place: second }: Place): void {
  const both = `CHAIN: "${first}" and "${second}" both have`;
  if (one.chainId === other.chainId)
    throw new ChainFileError(`${both} chainId ${one.chainId}; keep one of them, chain ids must differ`);
  if (one.name === other.name)
    throw new ChainFileError(`${both} the name "${one.name}"; give one of them another, names must differ`);
}

/**
 * The chain of a command that reads one: the chain that `CHAIN` names; where `CHAIN` is unset, the first of those that run.
 * @throws ChainFileError as {@link loadChain}, and when `CHAIN` names several
 */
export function loadSingleChain(named: string | undefined, running: string | undefined): ChainFile {
  const [chain, ...others] = loadChains(named || running || "devnet");
  if (named && others.length > 0)
    throw new ChainFileError(`CHAIN names ${others.length + 1} chains, and this command reads one: name one of them`);
  return chain;
}

/** Names of the chain files in `chains/`. */
export function shippedChainNames(): string[] {
  return readdirSync(SHIPPED_FOLDER)
    .filter((entry) => entry.endsWith(".json"))
    .map((entry) => entry.slice(0, -".json".length))
    .sort();
}

function locate(nameOrPath: string): string {
  if (nameOrPath === "")
    throw new ChainFileError("CHAIN is empty or has an empty item: name a chain file, e.g. CHAIN=devnet");
  if (nameOrPath.includes("/") || nameOrPath.endsWith(".json")) {
    const path = resolve(nameOrPath);
    if (existsSync(path)) return path;
    throw new ChainFileError(
      `${nameOrPath}: no such file; CHAIN takes a name from chains/ or the path of a chain file`,
    );
  }
  const path = join(SHIPPED_FOLDER, `${nameOrPath}.json`);
  if (existsSync(path)) return path;
  throw new ChainFileError(
    `chains/${nameOrPath}.json: no such file; CHAIN may be ${shippedChainNames().join(", ")} or the path of a chain file`,
  );
}

function parse(file: string, shown: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ChainFileError(`${shown}: cannot be read (${oneLine(error)}); check the path and its permissions`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ChainFileError(`${shown}: is not JSON (${oneLine(error)}); correct the syntax there`);
  }
}

/** Zod's issue as `path: what is wrong; what to write`. */
function describe(issue: z.core.$ZodIssue): string {
  const found = innermost(issue);
  const field = found.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const path = field.replace(/^\./, "");
  if (found.code === "unrecognized_keys") {
    const keys = found.keys.map((key) => (path === "" ? key : `${path}.${key}`));
    return `${keys.join(", ")}: unknown field; remove it or correct its spelling`;
  }
  const message = oneLine(found.message);
  if (found.code === "custom") return `${path}: ${message}`;
  if (path === "") return `${message}; write one JSON object, see chains/devnet.json`;
  if (found.code === "invalid_type" && message.endsWith("received undefined"))
    return `${path}: is missing; add it (${found.expected})`;
  return `${path}: ${message.replace(/^Invalid input: /, "")}; correct the value`;
}

/** A union fails with the issues of all its branches: take an issue of the branch that got furthest. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  let deepest: z.core.$ZodIssue | undefined;
  for (const branch of issue.errors)
    for (const inner of branch) {
      const candidate = innermost({ ...inner, path: [...issue.path, ...inner.path] });
      if (deepest === undefined || candidate.path.length >= deepest.path.length) deepest = candidate;
    }
  return deepest ?? issue;
}

function display(file: string): string {
  const fromHere = relative(process.cwd(), file);
  return fromHere.startsWith("..") || isAbsolute(fromHere) ? file : fromHere;
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
}

/** A chain file cannot be used; the message is one line naming the file, the field and the cure. */
export class ChainFileError extends Error {
  override name = "ChainFileError";
  /** Every mistake in the file, one line each; the message has the first. Empty where the mistake is not in the file's text. */
  readonly lines: readonly string[];
  constructor(what: string, lines: readonly string[] = []) {
    const [first, ...others] = lines;
    const more = others.length > 0 ? ` (${others.length} more)` : "";
    super(first === undefined ? what : `${what}: ${first}${more}`);
    this.lines = lines;
  }
}
