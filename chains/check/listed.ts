// Every address that a chain file lists, with the path of its field.
import type { ChainFile } from "../chain-file.ts";
import type { Address } from "./readings.ts";

export interface Listed {
  path: string;
  address: Address;
  /** Of a source: the block from which its logs are read. */
  startBlock?: { path: string; block: number };
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** In the file's order; an address that several fields name occurs several times. */
export const listedIn = (chain: Partial<ChainFile>): Listed[] => walk(chain, "");

function walk(value: unknown, path: string): Listed[] {
  if (typeof value === "string") return ADDRESS.test(value) ? [{ path, address: value as Address }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  const { startBlock } = value as { startBlock?: unknown };
  return Object.entries(value).flatMap(([key, item]) => {
    const own = path === "" ? key : `${path}.${key}`;
    const named = ADDRESS.test(key) ? [{ path: own, address: key as Address }] : [];
    const below = walk(item, own);
    const [only] = below;
    if (key !== "address" || only === undefined || typeof startBlock !== "number") return [...named, ...below];
    return [{ ...only, startBlock: { path: `${path}.startBlock`, block: startBlock } }];
  });
}
