// One snapshot of a token's balances, written beside its place and moved there when it is complete.
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RequestScope, type Service } from "../gateway/context.ts";
import { balancesRows } from "../gateway/questions/balances-rows.ts";
import type { Claim } from "../gateway/questions/claims.ts";
import { aboutFile } from "../gateway/rest/about-file.ts";
import { writeTree } from "../gateway/rest/merkle-tree.ts";
import { UsageError } from "../machine/command-line.ts";
import { partialOf } from "../machine/partial-file.ts";
import type { SnapshotPlan } from "./arguments.ts";
import { openBalancesFile } from "./balances-file.ts";
import { openPieceFile } from "./piece-file.ts";

export interface WrittenSnapshot {
  block: number;
  blockHash: string | undefined;
  /** No reorganisation can replace the block any more. */
  isFinal: boolean;
  accounts: number;
  /** Raw units, of all accounts together. */
  sum: bigint;
  root: string | undefined;
  /** Contracts whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly string[];
}

/**
 * An older file of the same name stays until the new one is complete. Its tree is removed before: none is ever beside the file of
 * another block.
 * @throws UsageError where there is no such folder; what balances throws for the token and block
 */
export async function writeSnapshot(service: Service, plan: SnapshotPlan): Promise<WrittenSnapshot> {
  const folder = dirname(resolve(plan.file));
  if (!existsSync(folder)) throw new UsageError(`--out: there is no folder for ${plan.file}`);
  const partial = partialOf(plan.file);
  const [merkleFile, partialMerkle] = [plan.file, partial].map((path) => `${path}.merkle.json`) as [string, string];
  try {
    const { claims, about, ...written } = await writeRows(service, plan, partial);
    const root = plan.withMerkle ? await writeMerkleFile(partialMerkle, claims, about) : undefined;
    await rm(merkleFile, { force: true });
    await rename(partial, plan.file);
    if (root !== undefined) await rename(partialMerkle, merkleFile);
    return { ...written, root };
  } finally {
    await Promise.all([partial, partialMerkle].map((path) => rm(path, { force: true })));
  }
}

type Written = Omit<WrittenSnapshot, "root"> & { claims: Claim[]; about: Record<string, string> };

async function writeRows(service: Service, plan: SnapshotPlan, path: string): Promise<Written> {
  const scope = new RequestScope(service);
  try {
    const answer = await scope.run(balancesRows, { token: plan.token, block: plan.block });
    const about = aboutFile(service.chains[0], answer.located);
    const { point, token } = answer.located;
    const file = await openBalancesFile(path, { format: plan.format, decimals: token.metadata?.decimals, about });
    const claims: Claim[] = [];
    let [sum, accounts] = [0n, 0];
    const { batches, incomplete } = answer;
    for (let batch = await batches.next(); !batch.done; batch = await batches.next()) {
      await file.take(batch.value);
      accounts += batch.value.length;
      for (const { account, amount } of batch.value) {
        sum += amount;
        if (plan.withMerkle) claims.push({ account, amount });
      }
    }
    await file.close();
    const isFinal = point.block <= point.finalized;
    return { block: point.block, blockHash: point.hash, isFinal, accounts, sum, incomplete, claims, about };
  } finally {
    await scope.close();
  }
}

/** Resolves to the root. @throws Error when nobody holds anything, so that there are no leaves */
async function writeMerkleFile(path: string, claims: readonly Claim[], about: Record<string, string>): Promise<string> {
  if (claims.length === 0) throw new Error("--merkle: nobody holds the token at this block, so there is no tree");
  const { root, pieces } = writeTree(claims, about);
  const file = openPieceFile(path);
  for await (const piece of pieces) await file.write(piece);
  await file.close();
  return root;
}
