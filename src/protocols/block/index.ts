// One row per block, so that the head is a fact like any other and reverts with the rows of its block.
import { ponder } from "ponder:registry";
import { block } from "ponder:schema";

ponder.on("Block:block", async ({ event, context }) => {
  await context.db.insert(block).values({
    number: Number(event.block.number),
    hash: event.block.hash,
    timestamp: Number(event.block.timestamp),
    baseFee: event.block.baseFeePerGas,
  });
});
