// One devnet instance: a chain that was seeded once and is kept from one start to the next. Decides whether a start adopts,
// continues or re-seeds it.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Hash, numberToHex } from "viem";
import { z } from "zod";
import { type Anvil, DEVNET_CHAIN_ID, endAnvil, isAnvilOn, spawnAnvil } from "./anvil.ts";
import { type AnvilChain, connectAnvilChain } from "./anvil-chain.ts";
import { dropJournal, readJournal, replayJournal, writeJournal } from "./journal.ts";
import { postOne } from "./json-rpc.ts";

const hash = z.custom<Hash>((value) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value));
const blockMark = z.object({ number: z.number().int(), hash });

const instanceSchema = z.object({
  /** New with every seeding; a database that remembers another one must forget its chain. */
  id: z.string(),
  seed: z.string(),
  pid: z.number().int(),
  port: z.number().int(),
  chainId: z.number().int(),
  /** The last seeded block; null while seeding. */
  seededUpTo: blockMark.nullable(),
  /** The head at the last clean stop; null while anvil has the complete chain, not yet while it is being made again. */
  stoppedAt: blockMark.nullable(),
});

export type Instance = z.infer<typeof instanceSchema>;

export interface DevnetStart {
  /** `TIDEMARK_DATA`; the devnet uses only `<dataDir>/devnet`. */
  dataDir: string;
  port: number;
  seed: string;
  /** Puts the scenario on an empty chain. */
  seedChain(chain: AnvilChain): Promise<void>;
  /** Called while a stopped chain is made again; a seeding reports for itself. */
  onProgress?(fraction: number): void;
  /** Called when a stopped chain is lost, before another one is seeded in its place. */
  onTrouble?(message: string): void;
}

export interface RunningDevnet {
  instanceId: string;
  rpcUrl: string;
  pid: number;
  chain: AnvilChain;
  /** How this start got its chain. */
  origin: "adopted" | "continued" | "seeded";
  /** Writes the journal, ends anvil, and notes its last head. */
  stop(): Promise<void>;
}

/** Adopts an orphan of the same instance, else continues a saved chain, else seeds a new one under a new id. */
export async function startDevnet(start: DevnetStart): Promise<RunningDevnet> {
  const dir = join(start.dataDir, "devnet");
  mkdirSync(dir, { recursive: true });
  const stored = readInstance(dir);
  if (stored !== undefined) {
    const resumed = (await adoptOrphan(dir, start, stored)) ?? (await continueSaved(dir, start, stored));
    if (resumed !== undefined) return resumed;
  }
  return seedAnew(dir, start);
}

export function readInstance(dir: string): Instance | undefined {
  const file = join(dir, "instance.json");
  if (!existsSync(file)) return undefined;
  try {
    return instanceSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

function writeInstance(dir: string, instance: Instance): void {
  const file = join(dir, "instance.json");
  writeFileSync(`${file}.new`, `${JSON.stringify(instance, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** An anvil that outlived its launcher: kept when it serves exactly the chain on record, else ended by its pid. */
async function adoptOrphan(dir: string, start: DevnetStart, stored: Instance): Promise<RunningDevnet | undefined> {
  if (!isAnvilOn(stored.pid, stored.port)) return undefined;
  const rpcUrl = `http://127.0.0.1:${stored.port}`;
  // a chain that was being made again lacks its end: blocks that may be final in an index
  const isWhole = stored.seededUpTo !== null && stored.stoppedAt === null;
  const fits = isWhole && stored.port === start.port && stored.seed === start.seed;
  if (fits && (await holds(rpcUrl, stored.seededUpTo)))
    return running({ dir, instance: stored, origin: "adopted", chain: await connectAnvilChain(rpcUrl) });
  await endAnvil(stored.pid);
  return undefined;
}

/**
 * The chain of a clean stop, made again from its journal. Kept when every hash comes out the same. The hashes of a chain that was
 * tampered with (balances or storage set by hand, foreign signatures) do not: it is given up for a new one.
 */
async function continueSaved(dir: string, start: DevnetStart, stored: Instance): Promise<RunningDevnet | undefined> {
  const journal = readJournal(dir);
  if (stored.seed !== start.seed || stored.seededUpTo === null || stored.stoppedAt === null || !journal)
    return undefined;
  const { port } = start;
  const anvil = await spawnAnvil({ port, dir, onSpawn: (pid) => writeInstance(dir, { ...stored, pid, port }) });
  try {
    const { rpcUrl } = anvil;
    const isSame = await replayJournal({ rpcUrl, entries: journal, onProgress: start.onProgress });
    if (isSame && (await holds(rpcUrl, stored.seededUpTo)) && (await holds(rpcUrl, stored.stoppedAt))) {
      const chain = await connectAnvilChain(rpcUrl);
      const instance = { ...stored, pid: anvil.pid, port, stoppedAt: null };
      return running({ dir, instance, origin: "continued", chain });
    }
  } catch {
    // Falls through: a chain that cannot be made again is replaced by a newly seeded one with a new id.
  }
  await discard(anvil);
  start.onTrouble?.(
    "the chain of the last run cannot be made again from its signed transactions, as after balances or storage were set by hand, accounts impersonated or blocks replaced: a new one is seeded",
  );
  return undefined;
}

async function seedAnew(dir: string, start: DevnetStart): Promise<RunningDevnet> {
  rmSync(join(dir, "instance.json"), { force: true });
  dropJournal(dir);
  const { port, seed } = start;
  const half = { id: randomUUID(), seed, port, chainId: DEVNET_CHAIN_ID, seededUpTo: null, stoppedAt: null };
  const anvil = await spawnAnvil({ port, dir, onSpawn: (pid) => writeInstance(dir, { ...half, pid }) });
  try {
    const chain = await connectAnvilChain(anvil.rpcUrl);
    await start.seedChain(chain);
    const { number, hash: seededHash } = chain.head();
    return running({
      dir,
      instance: { ...half, pid: anvil.pid, seededUpTo: { number, hash: seededHash } },
      origin: "seeded",
      chain,
    });
  } catch (error) {
    await discard(anvil);
    throw error;
  }
}

/** The anvil of `dataDir`'s devnet, while it runs. */
export function leftAnvil(dataDir: string): number | undefined {
  const instance = readInstance(join(dataDir, "devnet"));
  return instance !== undefined && isAnvilOn(instance.pid, instance.port) ? instance.pid : undefined;
}

/** Ends an anvil whose chain is not complete: only partly seeded, or partly made again. In the second case the journal stays. */
export function abandonHalf(dir: string): void {
  const half = readInstance(dir);
  if (half === undefined || (half.seededUpTo !== null && half.stoppedAt === null)) return;
  // at once and without waiting: the code that makes the chain would otherwise take anvil's end for a journal that cannot be
  // replayed, and drop it
  if (isAnvilOn(half.pid, half.port)) process.kill(half.pid, "SIGKILL");
}

/** An incomplete chain is of no use. */
async function discard(anvil: Anvil): Promise<void> {
  await endAnvil(anvil.pid, 0);
}

interface StoredState {
  dir: string;
  instance: Instance;
  origin: RunningDevnet["origin"];
  chain: AnvilChain;
}

function running({ dir, instance, origin, chain }: StoredState): RunningDevnet {
  writeInstance(dir, instance);
  const rpcUrl = `http://127.0.0.1:${instance.port}`;
  const stop = async (): Promise<void> => {
    await chain.resync();
    const { number, hash: headHash } = chain.head();
    await writeJournal(dir, rpcUrl, number);
    await endAnvil(instance.pid, 0);
    writeInstance(dir, { ...instance, stoppedAt: { number, hash: headHash } });
  };
  return { instanceId: instance.id, rpcUrl, pid: instance.pid, chain, origin, stop };
}

async function holds(rpcUrl: string, mark: z.infer<typeof blockMark> | null): Promise<boolean> {
  if (mark === null) return false;
  try {
    const number = numberToHex(mark.number);
    const block = await postOne<{ hash: Hash } | null>(rpcUrl, "eth_getBlockByNumber", [number, false]);
    return block?.hash === mark.hash;
  } catch {
    return false;
  }
}
