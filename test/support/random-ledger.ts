// Random but possible histories of a few tokens: mints, transfers, burns, 0→0 mints, self-transfers, wraps.
import fc from "fast-check";
import { accountOf, type Fact, ledgerAt, ZERO } from "./reference-ledger.ts";

interface Step {
  gap: number;
  action: number;
  from: number;
  to: number;
  share: number;
  token: number;
}

type Movement = Pick<Fact, "kind" | "from" | "to" | "amount">;

/** What a step does: `held` is what its sender has, so that nobody ever overspends. */
function movementOf(step: Step, held: bigint): Movement | undefined {
  const [from, to] = [accountOf(step.from), accountOf(step.to)];
  const minted = 10n ** BigInt(step.share % 25) * BigInt(1 + step.share);
  const spent = (held * BigInt(step.share)) / 100n;
  if (step.action < 3) return { kind: "transfer", from: ZERO, to, amount: minted };
  if (step.action === 3) return { kind: "transfer", from: ZERO, to: ZERO, amount: 1000n };
  if (step.action === 4) return { kind: "transfer", from, to: from, amount: 10n ** 30n };
  if (step.action === 5) return { kind: "transfer", from, to: ZERO, amount: spent };
  if (step.action === 6) return { kind: "deposit", from: ZERO, to, amount: minted };
  if (step.action === 7) return { kind: "withdrawal", from: ZERO, to: from, amount: spent };
  return from === to ? undefined : { kind: "transfer", from, to, amount: spent };
}

function factsOf(steps: readonly Step[], tokens: readonly string[], firstBlock: number): Fact[] {
  const facts: Fact[] = [];
  let block = firstBlock;
  let logIndex = 0;
  for (const step of steps) {
    if (step.gap > 0) [block, logIndex] = [block + step.gap, 0];
    const token = tokens[step.token % tokens.length] ?? "";
    const held = ledgerAt(facts, token, block).balances.get(accountOf(step.from)) ?? 0n;
    const movement = movementOf(step, held);
    if (movement) facts.push({ block, logIndex, token, ...movement });
    logIndex += 1 + (step.share % 2);
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
