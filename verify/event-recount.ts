// A token's holdings, added up again from the node's own logs: shows whether the contract or the index drifts from the events.
// Shares no code and no data with the product.
import type { Address, PublicClient } from "viem";
import { parseAbiItem } from "viem";

const ZERO = `0x${"0".repeat(40)}`;
const BLOCKS_PER_REQUEST = 2_000n;
const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 amount)");
const deposit = parseAbiItem("event Deposit(address indexed account, uint256 amount)");
const withdrawal = parseAbiItem("event Withdrawal(address indexed account, uint256 amount)");

export interface Recount {
  /** Zero amounts are left out. */
  holdings: Map<Address, bigint>;
  supply: bigint;
}

class Tally implements Recount {
  readonly holdings = new Map<Address, bigint>();
  supply = 0n;

  add(account: string, change: bigint): void {
    const key = account.toLowerCase() as Address;
    const amount = (this.holdings.get(key) ?? 0n) + change;
    if (amount === 0n) this.holdings.delete(key);
    else this.holdings.set(key, amount);
  }

  transfer(from: string, to: string, { amount, isBurn }: { amount: bigint; isBurn: boolean }): void {
    if (from === ZERO) this.supply += amount;
    else this.add(from, -amount);
    if (isBurn) this.supply -= amount;
    else this.add(to, amount);
  }

  wrap(account: string, change: bigint): void {
    this.add(account, change);
    this.supply += change;
  }
}

/** `isWeth9`: Deposit mints and Withdrawal burns, and nothing else burns. `from`: the first block counted. */
interface Question {
  token: Address;
  isWeth9: boolean;
  from: number;
}

/** Counts on from block to block: `upTo` takes ascending blocks, and what it gave before changes. Raw units. */
export function openRecount(
  client: PublicClient,
  { token, isWeth9, from }: Question,
): { upTo(block: number): Promise<Recount> } {
  const tally = new Tally();
  const events = isWeth9 ? [transfer, deposit, withdrawal] : [transfer];
  let low = BigInt(from);
  /** All of blocks `low` to `end`. */
  const countTo = async (end: bigint): Promise<void> => {
    // Strict: a log that only shares the topic, with other fields, is not such an event.
    const logs = await client.getLogs({ address: token, events, fromBlock: low, toBlock: end, strict: true });
    for (const log of logs) {
      if (log.eventName === "Transfer") {
        const { from: sender, to, amount } = log.args;
        tally.transfer(sender, to, { amount, isBurn: !isWeth9 && to === ZERO && sender !== ZERO });
      } else tally.wrap(log.args.account, log.eventName === "Deposit" ? log.args.amount : -log.args.amount);
    }
    low = end + 1n;
  };
  return {
    async upTo(block) {
      const last = BigInt(block);
      while (low <= last) {
        const end = low + BLOCKS_PER_REQUEST - 1n;
        await countTo(end < last ? end : last);
      }
      return tally;
    },
  };
}
