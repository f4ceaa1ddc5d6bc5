// Whether it is a token's fault that a contract does not pay, on a copy of a chain that is kept by hand.
import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import { type ChainCopy, RefusedError, type Transaction } from "../../verify/exit/chain-copy.ts";
import { paymentFault } from "../../verify/exit/payment-fault.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [TOKEN, REWARD] = [tokenOf(1) as Address, tokenOf(2) as Address];
const [ISLAND, POOL, ACCOUNT] = [accountOf(11) as Address, accountOf(12) as Address, accountOf(1) as Address];

interface Rules {
  /** Of 100 sent. */
  arrive?: bigint;
  refuses?: (from: Address, to: Address) => boolean;
}

/** The pool has 1,000 of either token, and nobody else anything. */
function copyWith(rules: ReadonlyMap<Address, Rules>): ChainCopy {
  let gained = new Map<string, bigint>();
  const held = (token: Address, account: Address) =>
    (gained.get(`${token} ${account}`) ?? 0n) + (account === POOL ? 1_000n : 0n);
  const readContract = ({ address, args }: { address: Address; args: [Address] }) =>
    Promise.resolve(held(address, args[0]));
  const perform = ({ from, to: token, args }: Transaction) => {
    const [to, amount] = args as [Address, bigint];
    const { arrive = 100n, refuses } = rules.get(token) ?? {};
    if (amount === 0n || refuses?.(from, to)) return Promise.reject(new RefusedError("transfer"));
    gained.set(`${token} ${to}`, (amount * arrive) / 100n);
    return Promise.resolve({ block: 1, logs: [] });
  };
  const apart = async <T>(use: () => Promise<T>): Promise<T> => {
    const result = await use();
    gained = new Map();
    return result;
  };
  return { block: 1, perform, apart, client: { readContract } } as unknown as ChainCopy;
}

const faultWith = (rules: Record<Address, Rules>, alsoPays?: () => Promise<Address[]>) => {
  const way = {
    through: [ISLAND, POOL],
    payer: ISLAND,
    take: () => Promise.reject(new Error("not taken")),
    ...(alsoPays && { alsoPays }),
  };
  const copy = copyWith(new Map(Object.entries(rules) as [Address, Rules][]));
  return paymentFault(copy, { account: ACCOUNT, way }, [TOKEN]);
};

describe("a payment that fails", () => {
  it("is not the fault of a token of which all arrives", async () => {
    expect(await faultWith({})).toBeUndefined();
  });

  it("is the fault of a token that is paused, or that bars one of those it passes", async () => {
    const words = `${TOKEN} refuses to be sent by ${POOL}`;
    expect(await faultWith({ [TOKEN]: { refuses: () => true } })).toBe(words);
    expect(await faultWith({ [TOKEN]: { refuses: (_, to) => to === ISLAND } })).toBe(words);
    expect(await faultWith({ [TOKEN]: { refuses: (_, to) => to === ACCOUNT } })).toBe(words);
  });

  it("is the fault of a token that arrives in part", async () => {
    expect(await faultWith({ [TOKEN]: { arrive: 93n } })).toBe(`${POOL} sends 1000 of ${TOKEN}, but only 930 arrive`);
  });

  it("may be the fault of a reward that is paid along", async () => {
    const paused = { [REWARD]: { refuses: () => true } };
    expect(await faultWith(paused)).toBeUndefined();
    expect(await faultWith(paused, async () => [REWARD])).toBe(`${REWARD} refuses to be sent by ${POOL}`);
  });
});
