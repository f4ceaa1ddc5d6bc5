// Keeps the actors solvent: mints or wraps before an account spends more than the scenario gave it, approves once per spender.
import { type Address, encodeFunctionData, maxUint256 } from "viem";
import type { DevChain } from "../chain.ts";
import { readArtifact } from "../compile/artifacts.ts";
import type { Deployment } from "../deploy/all.ts";

export interface Payment {
  from: Address;
  token: Address;
  amount: bigint;
  /** Absent: the account itself transfers. */
  spender?: Address;
}

export interface Purse {
  /** Makes sure `from` holds `amount` and lets `spender` take it, then counts it as spent. Queues what that needs. */
  pay(payment: Payment): void;
  /** Makes sure `from` holds `amount`, without spending it. */
  fund(payment: Omit<Payment, "spender">): void;
  /** Approves without limit, once. */
  allow(owner: Address, token: Address, spender: Address): void;
  /** Counts an amount received, so that it can be spent without minting. */
  receive(account: Address, token: Address, amount: bigint): void;
}

/** A purse counts only what it knows about: it never relies on what an account receives otherwise. */
export function openPurse(chain: DevChain, at: Deployment): Purse {
  const balances = new Map<string, bigint>();
  const allowed = new Set<string>();
  const { abi } = readArtifact("MintableToken");
  const depositData = encodeFunctionData({ abi: readArtifact("WETH9").abi, functionName: "deposit" });
  const issuer = (token: Address): Address | undefined =>
    token === at.tokens.wbera || token === at.tokens.weth ? undefined : token;

  // an account may hold so much of these that minting more overflows
  const { overflowing, phantomSpend } = at.tokens.hostile;
  const mayOverflow = (token: Address): boolean => token === overflowing || token === phantomSpend;
  const issue = (to: Address, token: Address, amount: bigint): void => {
    const minter = issuer(token);
    if (minter === undefined) chain.queue({ from: to, to: token, data: depositData, value: amount });
    else
      chain.queue({
        from: to,
        to: minter,
        data: encodeFunctionData({ abi, functionName: "mint", args: [to, amount] }),
        ...(mayOverflow(minter) ? { reverts: "maybe" as const } : {}),
      });
  };
  const held = (account: Address, token: Address): bigint => balances.get(`${account}${token}`) ?? 0n;
  const note = (account: Address, token: Address, amount: bigint): void =>
    void balances.set(`${account}${token}`, held(account, token) + amount);
  const fund = ({ from, token, amount }: Omit<Payment, "spender">): void => {
    if (held(from, token) >= amount) return;
    const issued = amount * 40n;
    issue(from, token, issued);
    note(from, token, issued);
  };
  const allow = (owner: Address, token: Address, spender: Address): void => {
    const key = `${owner}${token}${spender}`;
    if (allowed.has(key)) return;
    allowed.add(key);
    const data = encodeFunctionData({ abi, functionName: "approve", args: [spender, maxUint256] });
    chain.queue({ from: owner, to: token, data });
  };
  return {
    fund,
    allow,
    receive: note,
    pay({ from, token, amount, spender }) {
      fund({ from, token, amount });
      if (spender !== undefined) allow(from, token, spender);
      note(from, token, -amount);
    },
  };
}
