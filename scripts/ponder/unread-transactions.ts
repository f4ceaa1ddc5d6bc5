// In a backfill Ponder 0.17.7 reads the transaction of every log from its cache, one row a log, though no handler here reads more than
// its index, which the log has, too. Ponder takes logs without a transaction as they are: some chains have none.
import { rewriteStatements } from "./statements.ts";

const TRANSACTIONS = /^(select .+ from "ponder_sync"\."transactions" where) /;

/** To Ponder there are no transactions in its cache; what it writes there stays the same. */
export function leaveTransactionsOut(): void {
  rewriteStatements((text) => text.replace(TRANSACTIONS, "$1 false and "));
}
