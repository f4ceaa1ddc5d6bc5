// Random but possible histories of a few tokens: mints, transfers, burns, 0→0 mints, self-transfers, wraps.
import fc from "fast-check";
import { accountOf, type Fact, ZERO } from "./reference-ledger.ts";

interface Step {
  gap: number;
  action: number;
  from: number;
  to: number;
  share: number;
  token: number;
}

/** Turns steps into facts that never overspend: an amount is a share of what its sender has. */
function factsOf(steps: readonly Step[], tokens: readonly string[], firstBlock: number): Fact[] {
  const balances = new Map<string, bigint>();
  const facts: Fact[] = [];
  let block = firstBlock;
  let logIndex = 0;
  for (const step of steps) {
    if (step.gap > 0) [block, logIndex] = [block + step.gap, 0];
    const token = tokens[step.token % tokens.length] ?? "";
    const [from, to] = [accountOf(step.from), accountOf(step.to)];
    const heldBy = (account: string) => balances.get(`${token} ${account}`) ?? 0n;
    const add = (account: string, delta: bigint) => balances.set(`${token} ${account}`, heldBy(account) + delta);
    const minted = 10n ** BigInt(step.share % 25) * BigInt(1 + step.share);
    const spent = (heldBy(from) * BigInt(step.share)) / 100n;
    const fact = { block, logIndex, token };
    logIndex += 1 + (step.share % 2);
    if (step.action < 3) {
      facts.push({ ...fact, kind: "transfer", from: ZERO, to, amount: minted });
      add(to, minted);
    } else if (step.action === 3) facts.push({ ...fact, kind: "transfer", from: ZERO, to: ZERO, amount: 1000n });
    else if (step.action === 4) facts.push({ ...fact, kind: "transfer", from, to: from, amount: 10n ** 30n });
    else if (step.action === 5) {
      facts.push({ ...fact, kind: "transfer", from, to: ZERO, amount: spent });
      add(from, -spent);
    } else if (step.action === 6) {
      facts.push({ ...fact, kind: "deposit", from: ZERO, to, amount: minted });
      add(to, minted);
    } else if (step.action === 7) {
      facts.push({ ...fact, kind: "withdrawal", from: ZERO, to: from, amount: spent });
      add(from, -spent);
    } else if (from !== to) {
      facts.push({ ...fact, kind: "transfer", from, to, amount: spent });
      add(from, -spent);
      add(to, spent);
    }
  }
  return facts;
}

/** Accounts are accountOf(1) … accountOf(12). */
export const randomFacts = (tokens: readonly string[], firstBlock: number): fc.Arbitrary<Fact[]> => {
  const account = fc.integer({ min: 1, max: 12 });
  const share = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constant(100));
  const step = fc.record({
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 40 })),
    action: fc.integer({ min: 0, max: 14 }),
    from: account,
    to: account,
    share,
    token: fc.integer({ min: 0, max: 5 }),
  });
  return fc.array(step, { minLength: 20, maxLength: 150 }).map((steps) => factsOf(steps, tokens, firstBlock));
};
