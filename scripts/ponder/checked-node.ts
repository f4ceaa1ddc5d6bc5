// Loaded into Ponder's process before it (`node --import`). Ponder 0.17.7 takes whatever logs a node gives, unless it
// gives none at all: what a node leaves out once is missing for good. So near the head, where nodes are asked before they
// have everything, no answer is taken that is not whole; it becomes an error, which Ponder retries.
import { installCheckedFetch } from "./checked-fetch.ts";
import { keepCommitsDurable } from "./durable-commits.ts";
import { keepLock } from "./held-lock.ts";

const { RPC_URL } = process.env;
if (RPC_URL) installCheckedFetch(RPC_URL);
keepCommitsDurable();
keepLock();
