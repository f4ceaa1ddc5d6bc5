// The first block that can be picked for a comparison.
import type { ChainFile } from "../chains/chain-file.ts";
import type { Operation, Service } from "../gateway/context.ts";
import { inRequest } from "./in-request.ts";

/** The first block behind all that an operator has pruned; 0 where nothing is. */
const firstUnpruned: Operation<undefined, number> = {
  name: "firstUnpruned",
  run: (_, { snapshot }) => snapshot.read(async () => (snapshot.state.prunedTo ?? -1) + 1),
};

/** Of what is in the history lake alone no block is picked: nothing here loads it. Says so. */
export async function firstBlockOf(service: Service, { startBlock }: ChainFile): Promise<number> {
  const first = await inRequest(service, (scope) => scope.run(firstUnpruned, undefined));
  if (first <= startBlock) return startBlock;
  console.log(`history before block ${first} was pruned: no block before it is picked`);
  return first;
}
