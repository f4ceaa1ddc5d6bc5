// The peer: a plain Ponder project that keeps balances and their history in its handlers.
import { createConfig } from "ponder";
import { parseAbi } from "viem";

const { DATABASE_URL, RPC_URL, BENCH_CHAIN_ID, BENCH_POLLING_MS } = process.env;

export default createConfig({
  database: { kind: "postgres", connectionString: DATABASE_URL ?? "", poolConfig: { max: 10 } },
  chains: { chain: { id: Number(BENCH_CHAIN_ID), rpc: RPC_URL ?? "", pollingInterval: Number(BENCH_POLLING_MS) } },
  contracts: {
    Erc20: {
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 amount)"]),
      chain: "chain",
      startBlock: 0,
    },
  },
});
