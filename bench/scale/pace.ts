// How Ponder copes with a node that grants a number of requests a second and refuses more: how much of that it uses, and how long
// the ranges are for which it asks for logs.
import { setTimeout as sleep } from "node:timers/promises";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { type Server, withWorkbench } from "../ground/workbench.ts";
import { startPonder } from "../index/indexer.ts";
import { shapeOf } from "./backfill.ts";
import { countOf, KINDS, startCountingNode, sumOf } from "./counting-node.ts";

export interface PaceRun {
  perSecond: number;
  warmUpSeconds: number;
  seconds: number;
  granted: number;
  refused: number;
  blocks: number;
  ranges: number;
  logRequests: number;
  headRequests: number;
}

const EVENTS = 2_000;

/** The chain has more blocks than Ponder can read in the time. */
export function measurePace(
  server: Server,
  { perSecond, warmUpSeconds, seconds }: { perSecond: number; warmUpSeconds: number; seconds: number },
): Promise<PaceRun> {
  const blocks = 2 * perSecond * (warmUpSeconds + seconds);
  return withWorkbench({ server, shape: shapeOf(EVENTS, blocks), ports: [] }, async (bench) => {
    const node = await startCountingNode(bench.rpc.url, { perSecond });
    // with this address the product treats it as an outside node, not as one on this machine
    const url = node.url.replace("127.0.0.1", "0.0.0.0");
    const ponder = startPonder(
      { ...bench, rpc: { ...bench.rpc, url } },
      { root: projectRoot, schema: ponderSchemaName(bench.chainFile), program: ponderProgram },
    );
    try {
      await ponder.said("Started backfill indexing");
      await sleep(warmUpSeconds * 1000);
      node.take();
      await sleep(seconds * 1000);
      const counts = node.take();
      if (sumOf(counts) === 0) throw new Error("Ponder asked the node nothing: it does not get on with a limit");
      return {
        perSecond,
        warmUpSeconds,
        seconds,
        granted: sumOf(counts),
        refused: counts.refused,
        blocks: countOf(counts, KINDS.block),
        ranges: counts.ranges.size,
        logRequests: countOf(counts, KINDS.logs),
        headRequests: countOf(counts, KINDS.head),
      };
    } finally {
      await ponder.stop();
      await node.stop();
    }
  });
}
