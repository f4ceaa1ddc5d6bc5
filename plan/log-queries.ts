// How many requests for logs Ponder makes for one range of blocks with a given chain file: derived from the same configuration
// that Ponder gets.
import { resolve } from "node:path";
import { type Abi, toEventSelector } from "viem";

export interface Source {
  abi: Abi;
  address?: string | readonly string[] | Announced;
}

interface Announced {
  address?: string | readonly string[];
  event: Parameters<typeof toEventSelector>[0];
  parameter?: string;
}

export interface Questions {
  /** Asked of factories, to find their contracts. */
  factories: number;
  /** Asked chain-wide: one for each kind of event. */
  chainWide: number;
  /** Asked of fixed contracts: one for each list of addresses. */
  lists: number;
  /** Asked of what factories announced: one for each factory, from its first contract on. */
  announced: number;
}

/** Ponder merges requests for the same addresses (sync-historical's `mergedEthGetLogsParams`), but not those for chain-wide events. */
export function questionsOf(sources: readonly Source[]): Questions {
  const [factories, lists, chainWide] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { abi, address } of sources) {
    if (address === undefined) for (const selector of selectorsOf(abi)) chainWide.add(selector);
    else if (isAnnounced(address))
      factories.add([address.address, selectorOf(address), address.parameter].flat().join());
    else if (address.length > 0) lists.add([address].flat().join());
  }
  return { factories: factories.size, chainWide: chainWide.size, lists: lists.size, announced: factories.size };
}

const selectorOf = ({ event }: Announced): string => toEventSelector(event);
const selectorsOf = (abi: Abi): string[] => abi.flatMap((item) => (item.type === "event" ? toEventSelector(item) : []));
const isAnnounced = (address: NonNullable<Source["address"]>): address is Announced =>
  typeof address === "object" && !Array.isArray(address);

export const perRange = ({ factories, chainWide, lists, announced }: Questions): number =>
  factories + chainWide + lists + announced;

/** The sources of the chain file that `CHAIN` would name; the process's environment is as before afterwards. */
export async function readSources(chain: string): Promise<Source[]> {
  const before = { ...process.env };
  // the configuration refuses to be read without them; it connects to nothing
  Object.assign(process.env, { CHAIN: chain, DATABASE_URL: "postgres://none", RPC_URL: "http://none" });
  try {
    // a different URL for each chain file, so that each is a module of its own
    const file = new URL(`../ponder.config.ts?chain=${encodeURIComponent(resolve(chain))}`, import.meta.url);
    const { default: config } = (await import(file.href)) as { default: { contracts: Record<string, Source> } };
    return Object.values(config.contracts);
  } finally {
    for (const name of ["CHAIN", "DATABASE_URL", "RPC_URL"])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
}

/** Different addresses that a chain file names. */
export const addressesIn = (chain: object): number =>
  new Set(
    JSON.stringify(chain)
      .toLowerCase()
      .match(/"0x[0-9a-f]{40}"/g),
  ).size;
