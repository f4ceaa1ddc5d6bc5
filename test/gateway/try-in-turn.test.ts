// Which offer is answered when the best ones are tried out on a node first.
import { describe, expect, it } from "vitest";
import { chooseOffer } from "../../core/aggregator/ranking.ts";
import type { Offer } from "../../gateway/aggregator/offers.ts";
import { type Trial, tryInTurn } from "../../gateway/aggregator/try-in-turn.ts";

const OWN = "Kodiak";

const offerOf = (name: string, amount: bigint): Offer => ({
  ...{ name, amount, gas: 0n, gasCost: 0n, priority: 1, weight: { numerator: 1n, denominator: 1n } },
  answer: { amount, gas: 0n, paths: [], quoteId: undefined, transaction: undefined },
});

async function chosen(
  promises: Record<string, bigint>,
  trials: Record<string, Trial>,
  { referrerFeeBps = 0, type = "exactIn" as "exactIn" | "exactOut" } = {},
) {
  const tries: string[] = [];
  const names = Object.keys(promises);
  const { winner, outcomes, offers } = await tryInTurn(
    {
      offers: names.map((name) => offerOf(name, promises[name] ?? 0n)),
      outcomes: names.map((name) => ({ name, status: "success", milliseconds: 1 })),
    },
    {
      ...{ ownName: OWN, referrerFeeBps, type },
      best: (among) => chooseOffer(among, { type, ownName: OWN }),
      tryOut: async ({ name }) => {
        tries.push(name);
        return trials[name];
      },
    },
  );
  const failed = outcomes.flatMap(({ name, message }) => (message === undefined ? [] : [`${name} ${message}`]));
  return { winner: winner?.name, quote: winner?.amount, tries, failed, offered: offers.length };
}

describe("offers that are tried out", () => {
  it("leave the best one that pays what it promised, after one try", async () => {
    const answer = await chosen({ [OWN]: 99n, A: 100n }, { A: { paid: 101n } });
    expect(answer).toEqual({ winner: "A", quote: 100n, tries: ["A"], failed: [], offered: 2 });
  });

  it("never leave one that pays less than our own router, however large the slippage is", async () => {
    const trials = { A: { paid: 51n }, [OWN]: { paid: 99n } };
    expect(await chosen({ [OWN]: 99n, A: 100n }, trials)).toMatchObject({ winner: OWN, quote: 99n, tries: ["A", OWN] });
  });

  it("leave one that pays less than it promised and still more than others promise, with what it pays for its quote", async () => {
    const answer = await chosen({ [OWN]: 90n, A: 100n }, { A: { paid: 95n } });
    expect(answer).toMatchObject({ winner: "A", quote: 95n, tries: ["A"] });
  });

  it("try our own router's last, where nobody pays what they promised, and leave what pays most", async () => {
    const promises = { [OWN]: 97n, A: 100n, B: 99n, C: 98n };
    const trials = { A: { paid: 90n }, B: { paid: 93n }, C: { paid: 1n } };
    const taxed = await chosen(promises, { ...trials, [OWN]: { paid: 92n } });
    expect(taxed).toMatchObject({ winner: "B", quote: 93n, tries: ["A", "B", OWN] });
    const reverted = await chosen(promises, { ...trials, [OWN]: { reason: "reverted" } });
    expect(reverted).toMatchObject({ winner: "B", failed: [`${OWN} tried out: reverted`], offered: 3 });
    expect(await chosen(promises, { ...trials, [OWN]: undefined })).toMatchObject({ winner: OWN, quote: 97n });
  });

  it("go on to the next where one fails, and are answered as they are where nobody can try them out", async () => {
    const answer = await chosen({ [OWN]: 98n, A: 100n, B: 99n }, { A: { reason: "paused" }, B: { paid: 99n } });
    expect(answer).toMatchObject({ winner: "B", tries: ["A", "B"], failed: ["A tried out: paused"] });
    expect(await chosen({ [OWN]: 98n, A: 100n }, {})).toMatchObject({ winner: "A", quote: 100n, tries: ["A"] });
    expect(await chosen({ A: 100n }, { A: { reason: "paused" } })).toMatchObject({
      winner: undefined,
      quote: undefined,
    });
  });

  it("are compared before the referral fee, and by their input where the output is fixed", async () => {
    const fee = await chosen({ [OWN]: 9_900n, A: 10_000n }, { A: { paid: 9_950n } }, { referrerFeeBps: 50 });
    expect(fee).toMatchObject({ winner: "A", quote: 10_000n });
    const fixed = await chosen({ [OWN]: 101n, A: 100n }, { A: { paid: 7n } }, { type: "exactOut" });
    expect(fixed).toMatchObject({ winner: "A", quote: 100n, tries: ["A"] });
  });
});
