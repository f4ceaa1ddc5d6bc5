// What a block waits for may be read from the chain when no further block comes, as on a chain that makes blocks for transactions alone.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { eventually, FINALIZED, HEAD, IslandGround, nodeOf, scriptAnswers } from "./island-ground.ts";

/** The last block that is ready while the rest is not read. */
const READY = 15;
let ground: IslandGround;

beforeAll(async () => {
  ground = await IslandGround.start();
});
afterAll(() => ground?.database.stop());
beforeEach(() => ground.begin());

it("The fold reaches the newest block once what it waited for is read, without a newer block.", async () => {
  let isRead = false;
  let waits = 0;
  const { client } = nodeOf(scriptAnswers(() => false));
  const fold = ground.startFold(client, (steps) =>
    Object.assign(Object.create(steps), {
      async readyUpTo(range: BlocksAfter) {
        const upTo = await steps.readyUpTo(range);
        if (isRead || upTo <= READY) return upTo;
        waits++;
        return Math.max(READY, range.after);
      },
    }),
  );
  await eventually(async () => expect(await ground.meta()).toMatchObject({ head: READY, finalized: FINALIZED }));
  const before = waits;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(waits - before).toBeLessThan(40);
  isRead = true;
  await eventually(async () => expect(await ground.meta()).toMatchObject({ head: HEAD }));
  await fold.stop();
});
