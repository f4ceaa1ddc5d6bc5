// One step out of one contract, and how much of it reached the account.
import { type Address, erc20Abi, type Hex, toEventSelector } from "viem";
import type { ChainCopy, Receipt } from "./chain-copy.ts";

export interface Taken {
  receipts: readonly Receipt[];
  /** What had to be done or counted besides the account's own actions. */
  notes: readonly string[];
  /** By token: raw units beyond one wei that the contract's own rounding left behind, counted as if paid. */
  retained?: ReadonlyMap<Address, bigint>;
}

/** How to take everything that one holding stands for, one contract deep. */
export interface WayOut {
  /** Contracts that are passed. */
  through: readonly Address[];
  /** The one that pays the account. */
  payer: Address;
  /** Tokens that the payer pays but is not announced to hold. */
  alsoPays?(copy: ChainCopy): Promise<readonly Address[]>;
  /** @throws RefusedError */
  take(copy: ChainCopy, account: Address): Promise<Taken>;
}

/** Raw units by token, rewards left out; above zero. */
export interface Arrived {
  /** What the account has more than before. */
  amounts: Map<Address, bigint>;
  /** The same, plus what was kept back on the way. */
  counted: Map<Address, bigint>;
  notes: readonly string[];
}

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
/** Farms pay rewards with every withdrawal. */
const REWARD_PAID = toEventSelector("RewardPaid(address,uint256,address)");

const addressIn = (topic: Hex | undefined): Address => `0x${(topic ?? "").slice(-40)}`.toLowerCase() as Address;

interface TokenTransfer {
  token: Address;
  from: Address;
  to: Address;
  amount: bigint;
}

export const transfersIn = (receipts: readonly Receipt[]): TokenTransfer[] =>
  receipts
    .flatMap(({ logs }) => logs)
    .filter(({ topics, data }) => topics[0] === TRANSFER && topics.length === 3 && data.length === 66)
    .map(({ address, topics, data }) => ({
      token: address.toLowerCase() as Address,
      from: addressIn(topics[1]),
      to: addressIn(topics[2]),
      amount: BigInt(data),
    }));

/** Takes the way out and measures: balances after less balances before. */
export async function takeAndMeasure(copy: ChainCopy, account: Address, way: WayOut): Promise<Arrived> {
  const before = await copy.head();
  const { receipts, notes, retained } = await way.take(copy, account);
  const after = await copy.head();
  const rewards = rewardsIn(receipts, account);
  const arrived = { amounts: new Map<Address, bigint>(), counted: new Map<Address, bigint>(), notes: [...notes] };
  for (const token of receivedBy(account, receipts)) {
    const gained =
      (await balanceAt(copy, { token, account, block: after })) -
      (await balanceAt(copy, { token, account, block: before }));
    const reward = rewards.get(token) ?? 0n;
    const fee = transferFee(receipts, { token, payer: way.payer, account });
    if (reward > 0n) arrived.notes.push(`${reward} of ${token} paid as a reward, not counted`);
    if (fee > 0n) arrived.notes.push(`${token} took a fee of ${fee} on its way, added back`);
    if (gained - reward > 0n) arrived.amounts.set(token, gained - reward);
    if (gained - reward + fee > 0n) arrived.counted.set(token, gained - reward + fee);
  }
  for (const [token, amount] of retained ?? [])
    if (amount > 0n) arrived.counted.set(token, (arrived.counted.get(token) ?? 0n) + amount);
  return arrived;
}

const receivedBy = (account: Address, receipts: readonly Receipt[]): Set<Address> =>
  new Set(
    transfersIn(receipts)
      .filter(({ to }) => to === account)
      .map(({ token }) => token),
  );

function balanceAt(
  { client }: ChainCopy,
  { token, account, block }: { token: Address; account: Address; block: number },
): Promise<bigint> {
  const call = { address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] } as const;
  return client.readContract({ ...call, blockNumber: BigInt(block) });
}

function rewardsIn(receipts: readonly Receipt[], account: Address): Map<Address, bigint> {
  const rewards = new Map<Address, bigint>();
  for (const { topics, data } of receipts.flatMap(({ logs }) => logs)) {
    if (topics[0] !== REWARD_PAID || topics.length !== 3 || addressIn(topics[1]) !== account) continue;
    const token = addressIn(topics[2]);
    rewards.set(token, (rewards.get(token) ?? 0n) + BigInt(data));
  }
  return rewards;
}

/** What a token that takes a fee sent elsewhere whenever the payer paid the account. */
function transferFee(
  receipts: readonly Receipt[],
  { token, payer, account }: { token: Address; payer: Address; account: Address },
): bigint {
  return receipts
    .map((receipt) => transfersIn([receipt]).filter((one) => one.token === token && one.from === payer))
    .filter((paid) => paid.some(({ to }) => to === account))
    .flatMap((paid) => paid.filter(({ to }) => to !== account && to !== payer))
    .reduce((sum, { amount }) => sum + amount, 0n);
}
