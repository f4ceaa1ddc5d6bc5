// Two who read on one connection take turns: without, one's rollback would take back what the other has stored.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { inTurn } from "../../fold/contracts/read-missing.ts";

it("work that several callers want is never done twice at a time", async () => {
  let running = 0;
  let most = 0;
  const work = inTurn(async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(5);
    running -= 1;
    return most;
  });
  expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1]);
});

it("a failure is one caller's alone", async () => {
  let calls = 0;
  const work = inTurn(async () => {
    calls += 1;
    if (calls === 1) throw new Error("first");
    return calls;
  });
  const [first, second] = await Promise.allSettled([work(), work()]);
  expect(first).toMatchObject({ status: "rejected" });
  expect(second).toMatchObject({ status: "fulfilled", value: 2 });
});
