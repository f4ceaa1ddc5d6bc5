// The peer: a Ponder project that serves its tables with its own GraphQL. Nothing is indexed: the benchmark fills them.
import { createConfig } from "ponder";
import { parseAbi } from "viem";

const { DATABASE_URL, RPC_URL, BENCH_CHAIN_ID, BENCH_POLLING_MS } = process.env;

export default createConfig({
  database: { kind: "postgres", connectionString: DATABASE_URL ?? "", poolConfig: { max: 10 } },
  chains: { chain: { id: Number(BENCH_CHAIN_ID), rpc: RPC_URL ?? "", pollingInterval: Number(BENCH_POLLING_MS) } },
  contracts: {
    Silent: {
      abi: parseAbi(["event Nothing(uint256 value)"]),
      chain: "chain",
      address: "0x00000000000000000000000000000000000000a1",
      startBlock: 0,
    },
  },
});
