// What a log says, by the ABI of the contracts themselves as compiled, not by the one that the indexer reads with.
import { type Abi, type AbiEvent, decodeEventLog, toEventHash } from "viem";
import * as artifacts from "../../devnet/artifacts/abis.ts";
import type { ChainLog } from "./census.ts";

const keyOf = (topic: string | undefined, indexed: number): string => `${topic} ${indexed}`;

const events = new Map<string, AbiEvent>();
for (const abi of Object.values(artifacts) as unknown as Abi[])
  for (const item of Array.isArray(abi) ? abi : [])
    if (item.type === "event")
      events.set(
        keyOf(toEventHash(item), item.inputs.filter(({ indexed }: { indexed?: boolean }) => indexed).length),
        item,
      );

/** Name and arguments of a log, as text; undefined when no contract of the devnet has such an event. */
export function argumentsOf({ topics, data }: ChainLog): { name: string; args: Record<string, string> } | undefined {
  const event = events.get(keyOf(topics[0], topics.length - 1));
  if (event === undefined) return undefined;
  const { args } = decodeEventLog({ abi: [event], topics, data });
  const entries = Object.entries(args ?? {}).map(([name, value]) => [name, String(value).toLowerCase()]);
  return { name: event.name, args: Object.fromEntries(entries) };
}

/** Arguments that columns have other names for. */
const sources: Record<string, string[]> = {
  sqrt_price_x96: ["sqrtPriceX96"],
  amount0: ["amount0", "amount0In", "amount0Out", "feesEarned0"],
  amount1: ["amount1", "amount1In", "amount1Out", "feesEarned1"],
  liquidity: ["liquidity", "liquidityMinted", "liquidityBurned", "amount"],
  shares: ["shares", "mintAmount", "burnAmount"],
  pool: ["pool", "uniPool", "pandaPool"],
  tick_lower: ["tickLower", "lowerTick_"],
  tick_upper: ["tickUpper", "upperTick_"],
  fee_bps: ["managerFeeBPS"],
  treasury: ["managerTreasury"],
  slippage_bps: ["compounderSlippageBPS"],
  slippage_interval: ["compounderSlippageInterval"],
  vault: ["vault", "farm", "bault", "_vault"],
  asset: ["stakingToken", "_asset"],
  creator: ["_sender"],
  sender: ["sender", "by", "bountySender"],
  receiver: ["receiver", "to", "bgtRecipient"],
  assets: ["assets", "compoundAmount"],
  new_shares: ["newSharesMinted"],
  fee: ["fee", "compoundFee"],
  reward: ["tokenToRecipient"],
  account: ["account", "user", "from", "manager", "sender"],
  lock_seconds: ["secs"],
  lock_id: ["kek_id"],
  token: ["token", "rewardsToken", "token_address", "rewardToken", "pandaToken"],
  amount: ["amount", "value", "wad", "reward", "newRate"],
  validator: ["valPubkey", "pubkey"],
  rate: ["incentiveRate", "minIncentiveRate"],
  emitted: ["bgtEmitted"],
  token_in: ["amount0In"],
  base_in: ["amount1In"],
  token_out: ["amount0Out"],
  base_out: ["amount1Out"],
  token_reserve: ["pandaReserve"],
  base_reserve: ["baseReserve"],
  token_amount: ["amountPanda"],
  base_amount: ["amountBase"],
};
const camel = (column: string): string => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The value that a log has for a column; undefined when it has none of that name. */
export function valueFor(column: string, args: Record<string, string>): string | undefined {
  return (sources[column] ?? [camel(column)]).map((name) => args[name]).find((value) => value !== undefined);
}
