// Loaded into Ponder's process before Ponder (`node --import`). Ponder 0.17.7 takes any logs that a node gives, unless it
// gives none at all: what a node leaves out once is missing for ever. So near the head, where nodes are asked before they
// have everything, an incomplete answer is not taken; it becomes an error, which Ponder retries.
import { loadChain } from "../../chains/load.ts";
import { recordBlooms } from "./bloom-record.ts";
import { BLOOM_CHECKS, type BloomCheck, createBlooms } from "./blooms.ts";
import { installCheckedFetch } from "./checked-fetch.ts";
import { keepCommitsDurable } from "./durable-commits.ts";
import { giveBackFailedBegins } from "./failed-begins.ts";
import { keepLock } from "./held-lock.ts";
import { replaceImports } from "./imports.ts";
import { leaveLiveQueriesOut } from "./live-queries.ts";
import { copyRowsTogether } from "./row-copies.ts";
import { leaveTransactionsOut } from "./unread-transactions.ts";
import { skipUntouchedTables } from "./untouched-tables.ts";

const { RPC_URL, CHAIN, DATABASE_URL, CHECK_BLOOMS } = process.env;
if (RPC_URL) checkNode(RPC_URL);
// Ponder keeps rows that it has written, for handlers that read them: up to a fifth of its heap, and more work for the garbage
// collector. Our handlers only insert.
process.env.PONDER_CACHE_BYTES ??= "0";
keepCommitsDurable();
giveBackFailedBegins();
keepLock();
leaveLiveQueriesOut();
copyRowsTogether();
skipUntouchedTables();
leaveTransactionsOut();
replaceImports();

function checkNode(nodeUrl: string): void {
  const warn = (msg: string) => console.log(JSON.stringify({ level: 40, time: Date.now(), msg }));
  const place = DATABASE_URL && { databaseUrl: DATABASE_URL, chainId: loadChain(CHAIN ?? "devnet").chainId };
  const record = (finding: Parameters<typeof recordBlooms>[1]) => (place ? recordBlooms(place, finding) : undefined);
  let recorded = Promise.resolve(record(undefined));
  const blooms = createBlooms(bloomCheckOf(CHECK_BLOOMS), (finding) => {
    warn(`logs are checked by receipts from here on, no longer by blooms: ${finding.reason}`);
    recorded = recorded.then(() => record(finding));
  });
  installCheckedFetch({ nodeUrl, blooms, warn });
}

/** The launcher has already refused values that are not among these. */
function bloomCheckOf(value: string | undefined): BloomCheck {
  const check = BLOOM_CHECKS.find((one) => one === value);
  if (check === undefined && value) throw new Error(`CHECK_BLOOMS=${value}: must be ${BLOOM_CHECKS.join(", ")}`);
  return check ?? "learn";
}
