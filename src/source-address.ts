// Where a source reads: at fixed addresses, or at whatever a factory announces.
import { type Factory, factory } from "ponder";
import type { ContractGroup } from "../chains/indexing.ts";

/** The event by which a factory tells of a contract, and which of its parameters is the contract. */
export type Announcement = Pick<Factory, "event" | "parameter">;

/** Nothing is here. A source that a chain does not have must still exist for its handlers: it is read at this address, for one block. */
const nowhere = "0x00000000000000000000000000000000000000ff";

/** A source of the contracts of `group`. */
export function at({ addresses, startBlock }: ContractGroup) {
  return addresses.length > 0
    ? { address: [...addresses], startBlock }
    : { address: [nowhere] as `0x${string}`[], startBlock, endBlock: startBlock };
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
