// One campaign's folder, written beside its place and moved there when it is complete.
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
  const partial = `${resolve(out)}.partial`; // without the slash that `out` may end with
  const own = join(partial, randomUUID()); // another run may be writing the same folder: the first that is ready moves its own there
  try {
    mkdirSync(own, { recursive: true });
    const manifest = workOut(given, (name, piece) => appendFileSync(join(own, name), piece));
    writeFileSync(join(own, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(own, out);
    return { manifest, isFinal: given.isFinal };
  } catch (error) {
    if (existsSync(out)) throw new UsageError(`--out: ${out} exists by now, as another run has written it`);
    throw error;
  } finally {
    // once the folder is there nobody needs what other runs, killed or not, have beside it; before that, theirs stays theirs
    rmSync(existsSync(out) || isAlone(partial, own) ? partial : own, { recursive: true, force: true, maxRetries: 5 });
  }
}

const isAlone = (partial: string, own: string): boolean =>
  existsSync(partial) && readdirSync(partial).every((name) => join(partial, name) === own);

function readCampaign(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--campaign: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
