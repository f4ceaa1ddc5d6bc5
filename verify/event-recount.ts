// A token's holdings added up anew from the node's own logs: tells a contract that drifts from its events from an index
// that does. Shares no code and no data with the product.
import type { Address, PublicClient } from "viem";
import { parseAbiItem } from "viem";

const ZERO = `0x${"0".repeat(40)}`;
const BLOCKS_PER_REQUEST = 2_000n;
const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 amount)");
const deposit = parseAbiItem("event Deposit(address indexed account, uint256 amount)");
const withdrawal = parseAbiItem("event Withdrawal(address indexed account, uint256 amount)");

export interface Recount {
  holdings: Map<Address, bigint>;
  supply: bigint;
}

/** `isWeth9`: Deposit mints and Withdrawal burns. Raw units. Zero amounts are left out. */
export async function recountEvents(
  client: PublicClient,
  question: { token: Address; isWeth9: boolean; from: number; upTo: number },
): Promise<Recount> {
  const { token, isWeth9, from, upTo } = question;
  const holdings = new Map<Address, bigint>();
  let supply = 0n;
  const add = (account: string, change: bigint) => {
    const key = account.toLowerCase() as Address;
    const amount = (holdings.get(key) ?? 0n) + change;
    if (amount === 0n) holdings.delete(key);
    else holdings.set(key, amount);
  };
  const events = isWeth9 ? [transfer, deposit, withdrawal] : [transfer];
  for (let low = BigInt(from); low <= BigInt(upTo); low += BLOCKS_PER_REQUEST) {
    const high = low + BLOCKS_PER_REQUEST - 1n < BigInt(upTo) ? low + BLOCKS_PER_REQUEST - 1n : BigInt(upTo);
    // Strict: a log that only shares the topic, with other fields, is no such event.
    for (const log of await client.getLogs({ address: token, events, fromBlock: low, toBlock: high, strict: true })) {
      const { amount } = log.args;
      if (log.eventName === "Transfer") {
        const { from: sender, to: receiver } = log.args;
        if (sender === ZERO) supply += amount;
        else add(sender, -amount);
        if (receiver !== ZERO || sender === ZERO) add(receiver, amount);
        else supply -= amount;
      } else {
        const change = log.eventName === "Deposit" ? amount : -amount;
        add(log.args.account, change);
        supply += change;
      }
    }
  }
  return { holdings, supply };
}
