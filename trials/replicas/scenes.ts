// What happens to servers, one after the other, on one deployment.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { TRIAL_CHAIN_ID } from "../faults/chain-file.ts";
import { readBothChains, startOtherChain } from "./other-chain.ts";
import { follow, killServer, type Node, startNode } from "./replica.ts";
import type { Scene } from "./watch.ts";

async function ask<T>(url: string, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return [...(await sql.unsafe<T[] & Record<string, unknown>[]>(text))] as T[];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Longest start of writers, on a machine that has more to do. */
const LONGEST_START_MS = 300_000;

const secondsSince = (started: number): string => `${((Date.now() - started) / 1_000).toFixed(1)} s`;

const quiet = (ms: number): Scene => ({
  name: "two replicas, two gateways, nothing happens",
  mayRefuse: false,
  async act() {
    await sleep(ms);
    return {};
  },
});

/** A replica that stops replaying, and one that catches up again. */
const lag = (ms: number): Scene => ({
  name: "a replica stops following and follows again",
  mayRefuse: false,
  async act({ nodes: { replicas } }) {
    const [{ server }] = replicas;
    await ask(server.url, "select pg_wal_replay_pause()");
    await sleep(ms);
    await ask(server.url, "select pg_wal_replay_resume()");
    await sleep(ms / 2);
    return { figures: { "paused for": `${ms / 1_000} s`, "paused server": `:${new URL(server.url).port}` } };
  },
});

/** kill -9, and a new start. */
const loseReplica = (ms: number): Scene => ({
  name: "a replica is killed and comes back",
  mayRefuse: false,
  async act({ nodes }) {
    const [lost] = nodes.replicas;
    await killServer(lost);
    await sleep(ms);
    nodes.replicas[0] = await startNode(lost.name, lost.dataDir);
    await sleep(ms / 2);
    return { figures: { "killed server": `:${new URL(lost.server.url).port}` } };
  },
});

/** The primary is killed and the second replica promoted; the writers continue there, and the first replica follows it. */
const failOver = (ms: number): Scene => ({
  name: "the primary is killed while a replica is down, the other one is promoted",
  mayRefuse: true,
  async act(deployment) {
    const { nodes, gatewayUrls } = deployment;
    const [follower, promoted] = nodes.replicas;
    await killServer(follower);
    await sleep(2_000);
    const started = Date.now();
    await killServer(nodes.primary);
    await deployment.writers.stop();
    await sleep(ms / 2);
    await ask(promoted.server.url, "select pg_promote(true, 60)");
    const promotedAfter = secondsSince(started);
    deployment.writers = await deployment.startWriters(promoted.server.url, deployment.builds.first);
    await deployment.waitAnswered(LONGEST_START_MS);
    const answeredAfter = secondsSince(started);
    follow(follower.dataDir, promoted.server.url);
    const returned: Node = await startNode(follower.name, follower.dataDir);
    nodes.primary = promoted;
    nodes.replicas = [returned, promoted];
    await deployment.waitFor("the other replica follows the new primary", () => isFollowing(promoted, returned));
    await sleep(ms);
    return {
      figures: {
        "promoted after": promotedAfter,
        "newest block answered by every gateway after": answeredAfter,
        gateways: `${gatewayUrls.length}, none restarted`,
      },
    };
  },
});

async function isFollowing(primary: Node, replica: Node): Promise<boolean> {
  const position = async (node: Node, text: string) =>
    BigInt((await ask<{ at: string }>(node.server.url, `select (${text} - '0/0'::pg_lsn)::text as at`))[0]?.at ?? 0);
  const wanted = await position(primary, "pg_current_wal_flush_lsn()");
  return (await position(replica, "pg_last_wal_replay_lsn()")) >= wanted;
}

/** Another build is indexed beside the serving one, takes gateways over, and the old one is dropped. */
const redeploy = (ms: number): Scene => ({
  name: "another build is indexed, served and the old one dropped",
  mayRefuse: false,
  async act(deployment) {
    const { nodes, waitFor } = deployment;
    const { url } = nodes.primary.server;
    const old = deployment.writers;
    const started = Date.now();
    const next = await deployment.startWriters(url, deployment.builds.next);
    const servedSchema = async () =>
      (
        await ask<{ name: string }>(
          url,
          `select ponder_schema as name from tidemark.live where chain_id = ${TRIAL_CHAIN_ID}`,
        )
      )[0]?.name;
    await waitFor(
      "the next build is served",
      async () => (await servedSchema()) === next.ponderSchema,
      LONGEST_START_MS,
    );
    const servedAfter = secondsSince(started);
    await sleep(ms / 2);
    // As its supervisor would start it again: it must not take gateways back.
    await old.fold.kill();
    old.fold.start();
    await sleep(ms / 2);
    const faults = (await servedSchema()) === next.ponderSchema ? [] : ["the old fold took gateways back"];
    await old.stop();
    const isGone = async () =>
      (await ask(url, `select 1 from pg_namespace where nspname = '${old.ponderSchema}'`)).length === 0;
    await waitFor("the old facts are dropped", isGone, 60_000);
    const left = await ask<{ name: string }>(
      url,
      `select nspname as name from pg_namespace where nspname like '%${old.ponderSchema.replace(/^[^_]*_/, "")}%'`,
    );
    deployment.writers = next;
    deployment.builds.first = deployment.builds.next;
    await sleep(ms / 2);
    if (left.length > 0) faults.push(`left of the old index: ${left.map(({ name }) => name).join(", ")}`);
    return { figures: { "served after": servedAfter, "old facts dropped after": secondsSince(started) }, faults };
  },
});

/** Another chain beside the first one, with tokens of the same addresses, in the same database, behind one gateway. */
const twoChains = (ms: number): Scene => ({
  name: "two chains in one deployment, one gateway for both",
  mayRefuse: false,
  async act(deployment) {
    const other = await startOtherChain(deployment);
    const tally = await readBothChains(deployment, other, ms);
    const figures = Object.entries(tally).map(([chainId, { answers, compared, refusals }]) => [
      `chain ${chainId}`,
      `${answers} answers, ${compared} compared, ${refusals.length} refused`,
    ]);
    return {
      figures: Object.fromEntries(figures),
      faults: Object.values(tally).flatMap(({ wrong, compared }) => [
        ...wrong,
        ...(compared === 0 ? ["nothing was compared"] : []),
      ]),
    };
  },
});

/** In this order: each leaves the deployment complete. */
export const scenes: Record<string, (ms: number) => Scene> = {
  quiet,
  redeploy,
  lag,
  replica: loseReplica,
  chains: twoChains,
  failover: failOver,
};
