// Addresses of a seeded chain on disk, so that a later process can act on it without having seeded it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DevChain } from "../chain.ts";
import type { Deployment } from "../deploy/all.ts";
import { emptyStage, type Stage } from "./stage.ts";
import { openWorld, type World } from "./world.ts";

type Saved = { at: Deployment } & { [Shelf in Exclude<keyof Stage, "nfts">]: [string, unknown][] } & {
  nfts: (Omit<Stage["nfts"][number], "id"> & { id: string })[];
};

const fileIn = (dir: string): string => join(dir, "world.json");

export function saveWorld(dir: string, { at, stage }: Pick<World, "at" | "stage">): void {
  const { nfts, ...shelves } = stage;
  const entries = Object.entries(shelves).map(([shelf, items]) => [shelf, [...items.entries()]]);
  const saved = { at, ...Object.fromEntries(entries), nfts: nfts.map((nft) => ({ ...nft, id: String(nft.id) })) };
  writeFileSync(fileIn(dir), `${JSON.stringify(saved, null, 2)}\n`);
}

/** The world of the seeded chain in `dir`; its purse is empty: it mints and approves as needed. */
export function openSavedWorld(dir: string, chain: DevChain): World {
  const { at, nfts, ...shelves } = JSON.parse(readFileSync(fileIn(dir), "utf8")) as Saved;
  const opened = Object.fromEntries(Object.entries(shelves).map(([shelf, items]) => [shelf, new Map(items)]));
  const stage = { ...emptyStage(), ...opened, nfts: nfts.map((nft) => ({ ...nft, id: BigInt(nft.id) })) } as Stage;
  return { ...openWorld(chain, at), stage };
}
