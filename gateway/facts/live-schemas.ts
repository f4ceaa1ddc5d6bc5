// Which schemas gateways read, as the fold has pointed them, and what is read about Ponder's one by its name alone.
export interface LiveSchemas {
  /** Of Ponder's own tables, which raw-facts.ts alone reads. */
  facts: string;
  fold: string;
}

/** SELECT list of {@link LiveSchemas} of a row `l` of `tidemark.live`. */
export const LIVE_COLUMNS = "l.ponder_schema as facts, l.fold_schema as fold";

/** SELECT text of {@link LiveSchemas}; without a row while the fold has not pointed gateways anywhere yet. */
export const liveText = (chainId: number): string =>
  `select ${LIVE_COLUMNS} from tidemark.live l where l.chain_id = ${chainId}`;

export const areSame = (one: LiveSchemas | undefined, other: LiveSchemas): boolean =>
  one?.facts === other.facts && one.fold === other.fold;

/**
 * SELECT text of one number from 0 to 1, null without an index: how much of Ponder's 32-bit numbers for rows that may be replaced
 * is used up.
 */
export const rowNumbersUsedText = (chainId: number): string => `
  select max(last_value / 2147483647.0)::float8 from pg_catalog.pg_sequences
   where schemaname = (select ponder_schema from tidemark.live where chain_id = ${chainId})`;
