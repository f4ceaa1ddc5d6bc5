// Where everything is in the explorer: every view is a URL that names chain and block.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Service } from "../context.ts";
import { InvalidInputError, NotFoundError } from "../errors.ts";
import { type BlockChoice, blockNumbered, parseBlockNumber } from "../history/block-choice.ts";

export const ROOT = "/explore";

/** Views about one address. */
export type Subject = "token" | "account" | "pool" | "vault" | "launch";
/** Views about a chain. */
type Overview = "tokens" | "vaults" | "launches" | "quote" | "status" | "search";

type Query = Readonly<Record<string, string | number | undefined>>;

/** The path with the parameters that are set, in their order. */
export function withQuery(path: string, query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (set.length === 0) return path;
  return `${path}?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

/** Links of one chain. Without `block` in the query: the newest one, whichever it is when somebody follows the link. */
export interface Links {
  home: string;
  of(subject: Subject, address: string, query?: Query): string;
  to(overview: Overview, query?: Query): string;
}

export function linksOf({ name }: Pick<ChainFile, "name">): Links {
  const chain = `${ROOT}/${name}`;
  return {
    home: chain,
    of: (subject, address, query) => withQuery(`${chain}/${subject}/${address}`, query),
    to: (overview, query) => withQuery(`${chain}/${overview}`, query),
  };
}

/** By name or id. @throws NotFoundError naming those that are served */
export function chainNamed({ chains }: Pick<Service, "chains">, text: string): ChainFile {
  const found = chains.find(({ name, chainId }) => name === text || String(chainId) === text);
  if (found) return found;
  const served = chains.map(({ name }) => name).join(", ");
  throw new NotFoundError(`No chain of that name is served here. Served: ${served}.`);
}

const A_TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2})?Z?)?$/;

/** Unix milliseconds; NaN where there is no such time, such as on February 30th, which `Date` takes for a day of March. */
function timeIn(at: string): number {
  const [, day = ""] = A_TIME.exec(at) ?? [];
  const midnight = Date.parse(day);
  if (!Number.isFinite(midnight) || !new Date(midnight).toISOString().startsWith(day)) return Number.NaN;
  return Date.parse(at.includes("T") && !at.endsWith("Z") ? `${at}Z` : at);
}

/**
 * `block`, or `at` as a time in UTC as date fields send it, or the newest one without either.
 * @throws InvalidInputError naming `block` or `at`
 */
export function blockIn(query: { block?: string | undefined; at?: string | undefined }): BlockChoice {
  const { block, at } = query;
  if (block) {
    if (at) throw new InvalidInputError("at", "names a block as block does; give only one of them");
    return blockNumbered(parseBlockNumber(block, "block"));
  }
  if (!at) return { kind: "latest" };
  const milliseconds = timeIn(at);
  if (!Number.isFinite(milliseconds)) throw new InvalidInputError("at", "must be a time in UTC, e.g. 2026-01-31T12:00");
  return { kind: "timestamp", timestamp: Math.floor(milliseconds / 1_000), parameter: "at" };
}
