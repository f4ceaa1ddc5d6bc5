// Addresses of a seeded chain on disk, so that a later process can act on it without having seeded it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DevChain } from "../chain.ts";
import type { Deployment } from "../deploy/all.ts";
import type { Stage } from "./stage.ts";
import { openWorld, type World } from "./world.ts";

interface Saved {
  at: Deployment;
  stage: { [Shelf in keyof Stage]: Stage[Shelf] extends Map<string, infer Item> ? [string, Item][] : Stage[Shelf] };
}

const fileIn = (dir: string): string => join(dir, "world.json");
const writeBigint = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
const readBigint = (_: string, value: unknown): unknown =>
  typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;

export function saveWorld(dir: string, { at, stage }: Pick<World, "at" | "stage">): void {
  const { v3, v2, islands, named, nfts } = stage;
  const shelves = { v3: [...v3], v2: [...v2], islands: [...islands], named: [...named], nfts };
  writeFileSync(fileIn(dir), `${JSON.stringify({ at, stage: shelves } satisfies Saved, writeBigint, 2)}\n`);
}

/** The world of the seeded chain in `dir`; its purse is empty: it mints and approves as needed. */
export function openSavedWorld(dir: string, chain: DevChain): World {
  const { at, stage } = JSON.parse(readFileSync(fileIn(dir), "utf8"), readBigint) as Saved;
  const { v3, v2, islands, named, nfts } = stage;
  const opened = { v3: new Map(v3), v2: new Map(v2), islands: new Map(islands), named: new Map(named), nfts };
  return { ...openWorld(chain, at), stage: opened };
}
