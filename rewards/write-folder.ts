// One campaign's folder, written beside its place and moved there when it is complete.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../machine/command-line.ts";
import type { ProductPlace } from "../machine/product-place.ts";
import { type Manifest, workOut } from "./manifest.ts";
import { askRewards } from "./product.ts";

/** @throws UsageError naming the option; ProductError */
export async function writeFolder(
  place: ProductPlace,
  { campaign, out }: { campaign: string; out: string },
): Promise<{ manifest: Manifest; isFinal: boolean }> {
  if (existsSync(out)) throw new UsageError(`--out: ${out} exists already; name another folder`);
  const given = await askRewards(place, readCampaign(campaign));
  const { manifest, files } = workOut(given);
  const partial = `${resolve(out)}.partial`; // without the slash that `out` may end with
  try {
    rmSync(partial, { recursive: true, force: true }); // of a run that was killed
    mkdirSync(partial, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(partial, name), text);
    writeFileSync(join(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(partial, out);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return { manifest, isFinal: given.isFinal };
}

function readCampaign(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--campaign: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
