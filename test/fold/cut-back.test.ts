// A chain that loses blocks and has none in their place: only the node shows that this is not a Ponder that restarts.
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createCutBackWatch } from "../../fold/follow/cut-back.ts";
import { hashOf } from "../support/index-fixture.ts";

const HEAD = 20;

/** The fold has blocks up to {@link HEAD}; the node answers with what `hashAt` gives. */
function watched(hashAt: (block: number) => Promise<string | undefined>) {
  const wentBackTo: number[] = [];
  const follower = {
    hashOf: (block: number) => (block <= HEAD ? hashOf(block) : undefined),
    goBackTo: async (block: number) => {
      wentBackTo.push(block);
    },
  };
  const node = { head: async () => HEAD, hashAt };
  const watch = createCutBackWatch({ node, follower, log: pino({ level: "silent" }) });
  const check = async (facts: number, times: number) => {
    for (let i = 0; i < times; i += 1) await watch.check({ facts, head: HEAD });
  };
  return { wentBackTo, check };
}

describe("a fold that stands higher than Ponder's facts", () => {
  it("stays where it is while the node has its head", async () => {
    const { wentBackTo, check } = watched(async (block) => hashOf(block));
    await check(10, 9);
    expect(wentBackTo).toEqual([]);
  });

  it("goes back to the highest block that it and the node have, after the third answer in a row", async () => {
    const { wentBackTo, check } = watched(async (block) => (block <= 17 ? hashOf(block) : undefined));
    await check(10, 2);
    expect(wentBackTo).toEqual([]);
    await check(10, 1);
    expect(wentBackTo).toEqual([17]);
  });

  it("goes back no further than to what Ponder has", async () => {
    const { wentBackTo, check } = watched(async (block) => hashOf(block, 1));
    await check(15, 3);
    expect(wentBackTo).toEqual([15]);
  });

  it("starts counting again when the node shows its head once, or Ponder has come back", async () => {
    let hasHead = false;
    const { wentBackTo, check } = watched(async (block) => (hasHead || block < 18 ? hashOf(block) : undefined));
    await check(10, 2);
    hasHead = true;
    await check(10, 1);
    hasHead = false;
    await check(10, 2);
    await check(HEAD, 1);
    await check(10, 2);
    expect(wentBackTo).toEqual([]);
  });

  it("does not count it when the node gives no answer", async () => {
    const { wentBackTo, check } = watched(() => Promise.reject(new Error("the node is away")));
    await check(10, 9);
    expect(wentBackTo).toEqual([]);
  });
});
