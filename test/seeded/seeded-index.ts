// What the tests of this folder share: the seeded devnet with its facts and their fold, made once by global-setup.ts.
// All of it is only read: another file comes after this one.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { createPublicClient, http, type PublicClient } from "viem";
import { inject } from "vitest";
import type { ChainFile } from "../../chains/chain-file.ts";
import { loadChain } from "../../chains/load.ts";
import { chainFolder } from "../../core/lake/paths.ts";
import { type AnvilChain, connectAnvilChain } from "../../devnet/anvil-chain.ts";
import type { SealedBlock } from "../../devnet/chain.ts";
import type { Deployment } from "../../devnet/deploy/all.ts";
import { openSavedWorld } from "../../devnet/scenario/saved-world.ts";
import type { World } from "../../devnet/scenario/world.ts";
import { type Manifest, readManifest } from "../../lake/manifest.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";

export interface SeededPlace {
  /** Anvil's own, with the states of all blocks. */
  rpcUrl: string;
  databaseUrl: string;
  /** A copy of that database, which one file changes: pruned-node.test.ts. */
  copyUrl: string;
  /** Another copy, for pruned-history.test.ts. */
  prunedUrl: string;
  /** Path of the chain file that was indexed. */
  chainFile: string;
  /** What `LAKE` names: the history lake of all that is final. */
  lake: string;
  ponderSchema: string;
  foldSchema: string;
  head: number;
  finalized: number;
  /** Where the world of the scenario is saved. */
  worldFolder: string;
}

/** What global-setup.ts writes into a file when it has ended. */
export type SeededOutcome = { seeded: SeededPlace } | { failure: string };

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the file with a {@link SeededOutcome}; it is not there before. */
    seededFile: string;
  }
}

/** @throws Error that says why the index could not be made */
async function whenMade(file: string): Promise<SeededPlace> {
  while (!existsSync(file)) await sleep(100);
  const outcome = JSON.parse(readFileSync(file, "utf8")) as SeededOutcome;
  if ("seeded" in outcome) return outcome.seeded;
  throw new Error(`The seeded devnet could not be indexed: ${outcome.failure}`);
}

export const seeded: SeededPlace = await whenMade(inject("seededFile"));

export const seededChain = (): ChainFile => loadChain(seeded.chainFile);

/** The caller ends it. */
export const openSeededSql = (): Sql => postgres(seeded.databaseUrl, { max: 2, onnotice: () => {} });

/** The caller closes it. */
export const openSeededGateway = (): TestGateway => openGateway(seeded.databaseUrl, seededChain());

export const seededClient = (): PublicClient =>
  createPublicClient({ transport: http(seeded.rpcUrl, { timeout: 60_000 }) });

export interface SeededLake {
  /** That of the chain, with the manifest. */
  folder: string;
  manifest: Manifest;
}

/** `lake`: the shared one, which nobody changes, or a copy of it. */
export async function seededLake(lake: string = seeded.lake): Promise<SeededLake> {
  const folder = chainFolder(lake, seededChain().chainId);
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new Error(`no lake in ${folder}`);
  return { folder, manifest };
}

/** The devnet as the process that seeded it has it. */
export interface OpenedDevnet {
  chain: AnvilChain;
  at: Deployment;
  world: World;
  head: SealedBlock;
}

export async function openSeededDevnet(): Promise<OpenedDevnet> {
  const chain = await connectAnvilChain(seeded.rpcUrl);
  const world = openSavedWorld(seeded.worldFolder, chain);
  return { chain, at: world.at, world, head: chain.head() };
}
