// Which columns Ponder 0.17.7 reads of blocks and transactions in its cache: by itself every one, calldata and blooms included,
// until each kind of event has come a hundred times and has shown what its handler reads. With a rare kind that never happens, and
// one such kind is enough to have all columns read for all. Here every kind begins with the columns that handlers read; a handler
// that reads another one makes Ponder read the batch again, with all columns.
//
// This takes the place of Ponder's own module where its configuration says which columns to begin with.

type Columns = readonly string[];
type Name =
  | `required${"Log" | "Block"}FilterInclude`
  | `default${"TraceFilter" | "TransactionFilter" | "TransferFilter" | "TransactionReceipt"}Include`;

const own = new URL("../../node_modules/ponder/dist/esm/runtime/filter.js", import.meta.url);
const filters = (await import(own.href)) as Record<Name, Columns>;

export const defaultLogFilterInclude: Columns = filters.requiredLogFilterInclude;
/** src/protocols/block reads one more than Ponder does. */
export const defaultBlockFilterInclude: Columns = [...filters.requiredBlockFilterInclude, "block.baseFeePerGas"];
export const {
  defaultTraceFilterInclude,
  defaultTransactionFilterInclude,
  defaultTransactionReceiptInclude,
  defaultTransferFilterInclude,
} = filters;
