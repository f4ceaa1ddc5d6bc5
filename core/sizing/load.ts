// What a chain asks of an index: how much there is of everything, before any of it is read.
import type { WorldFigures } from "./figures.ts";

export interface Load {
  blocks: number;
  /** Of the ERC-20 kind, which make holdings. */
  transfers: number;
  otherEvents: number;
  /** That have an indexed log. */
  transactions: number;
  /** Mean bytes of their input. */
  inputBytes: number;
  tokens: number;
  /** Islands, farms and changes of their settings that must be read from contracts. */
  settings: number;
}

/** What is known of a chain; what is not is taken as the measured worlds had it. */
export interface Known {
  blocks: number;
  events?: number | undefined;
  transferShare?: number | undefined;
  eventsPerTransaction?: number | undefined;
  inputBytes?: number | undefined;
  tokens?: number | undefined;
}

export function loadOf(known: Known, world: WorldFigures): Load {
  const events = known.events ?? known.blocks * world.eventsPerBlock;
  const transfers = events * (known.transferShare ?? world.transferShare);
  return {
    blocks: known.blocks,
    transfers,
    otherEvents: events - transfers,
    transactions: events / (known.eventsPerTransaction ?? world.eventsPerTransaction),
    inputBytes: known.inputBytes ?? world.inputBytes,
    tokens: known.tokens ?? transfers * world.tokensPerTransfer,
    settings: (events - transfers) * world.settingsPerEvent,
  };
}

export const eventsOf = ({ transfers, otherEvents }: Load): number => transfers + otherEvents;
