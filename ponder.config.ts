// What Ponder indexes, from the chain file named by CHAIN. Sources are declared beside their handlers in src/protocols.
import { createConfig } from "ponder";
import { indexingOf } from "./chains/indexing.ts";
import { loadChain } from "./chains/load.ts";
import { blockSources } from "./src/protocols/block/contracts.ts";
import { erc20Contracts } from "./src/protocols/erc20/contracts.ts";
import { farmContracts } from "./src/protocols/farm/contracts.ts";
import { islandContracts } from "./src/protocols/island/contracts.ts";
import { launchContracts } from "./src/protocols/launch/contracts.ts";
import { rewardVaultContracts } from "./src/protocols/reward-vault/contracts.ts";
import { v2Contracts } from "./src/protocols/v2/contracts.ts";
import { v3Contracts } from "./src/protocols/v3/contracts.ts";
import { vaultContracts } from "./src/protocols/vault/contracts.ts";
import { present } from "./src/source-address.ts";

const chain = loadChain(process.env.CHAIN ?? "devnet");
const indexing = indexingOf(chain);
const { DATABASE_URL, RPC_URL } = process.env;
if (!DATABASE_URL)
  throw new Error("DATABASE_URL is not set: the indexer writes to PostgreSQL. Run `npm start`, or set it.");
if (!RPC_URL) throw new Error("RPC_URL is not set: the indexer needs a node to read from. Run `npm start`, or set it.");

// Ponder holds every entry to 20 requests a second at first and raises that slowly: fair to a public node, but a node on
// this machine would mostly wait. More entries of the same node are more of that allowance.
const isOwnNode = /^https?:\/\/(127\.|localhost\b|\[::1\])/.test(RPC_URL);
const rpc = isOwnNode ? Array.from({ length: 25 }, () => RPC_URL) : RPC_URL;

export default createConfig({
  database: { kind: "postgres", connectionString: DATABASE_URL, poolConfig: { max: 10 } },
  chains: { chain: { id: indexing.chainId, rpc, pollingInterval: chain.pollingIntervalMs } },
  contracts: present({
    ...erc20Contracts(indexing),
    ...v3Contracts(indexing),
    ...v2Contracts(indexing),
    ...islandContracts(indexing),
    ...rewardVaultContracts(indexing),
    ...farmContracts(indexing),
    ...vaultContracts(indexing),
    ...launchContracts(indexing),
  }),
  blocks: { ...blockSources(indexing) },
});
