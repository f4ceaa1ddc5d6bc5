// Where a source reads: at fixed addresses, or at whatever a factory announces.
import { type Factory, factory } from "ponder";
import type { ContractGroup } from "../chains/indexing.ts";

/** The event by which a factory tells of a contract, and which of its parameters is the contract. */
export type Announcement = Pick<Factory, "event" | "parameter">;

/** A source of the contracts of `group`; without an address where the chain has none. */
export const at = ({ addresses, startBlock }: ContractGroup) => ({ address: [...addresses], startBlock });

/**
 * The sources that the chain has. What is left out costs nothing: an indexer compares every log with every source.
 * The type still names all, so that handlers can be written for them; see `on.ts`.
 */
export function present<Sources extends object>(sources: Sources): Sources {
  const isPresent = ([, source]: [string, { address?: unknown }]) =>
    !(Array.isArray(source.address) && source.address.length === 0);
  return Object.fromEntries(Object.entries(sources).filter(isPresent)) as Sources;
}

/**
 * A source of the contracts that `group` announces by `announcement`. It has their logs from the block of the
 * announcement on, those before it in the same block included, and none of earlier blocks.
 */
export function announcedBy(group: ContractGroup, announcement: Announcement) {
  if (group.addresses.length === 0) return at(group);
  const { addresses, startBlock } = group;
  return { address: factory({ address: [...addresses], startBlock, ...announcement } as Factory), startBlock };
}
