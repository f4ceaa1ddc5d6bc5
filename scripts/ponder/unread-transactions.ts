// In a backfill Ponder 0.17.7 reads the transaction of every log from its cache, one row for each log, though handlers here read
// only its index, which the log has, too. Ponder accepts logs without a transaction: some chains have such logs.
import { rewriteStatements } from "./statements.ts";

const TRANSACTIONS = /^(select .+ from "ponder_sync"\."transactions" where) /;

/** Ponder finds no transactions in its cache; what it writes there stays the same. */
export function leaveTransactionsOut(): void {
  rewriteStatements((text) => text.replace(TRANSACTIONS, "$1 false and "));
}
