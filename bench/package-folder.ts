// npm packages that only a benchmark or a test needs: installed where they are first needed, below .tidemark/bench, and kept
// there. None of them is a dependency of the product: they are large, or their licence is not ours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";

export interface PackageFolder {
  /** Name of the folder; it contains the version, so that another version gets another folder. */
  name: string;
  /** Names with versions, as npm takes them. */
  packages: readonly string[];
  /** More of npm's options. */
  flags?: readonly string[];
}

/**
 * The folder with the packages in its node_modules; installs them when it is not there.
 * @throws Error when the registry does not have them
 */
export async function packageFolder({ name, packages, flags = [] }: PackageFolder): Promise<string> {
  const folder = join(projectRoot, ".tidemark/bench", name);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, ".."), { recursive: true });
  // install elsewhere, then move to the final place in one step: others may be installing it, too
  const aside = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(aside, "package.json"), '{ "private": true, "type": "module" }');
    const args = ["install", "--no-audit", "--no-fund", "--silent", "--save-exact", ...flags, ...packages];
    const npm = spawn("npm", args, { cwd: aside, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(npm, "exit");
    if (code !== 0) throw new Error(`${packages.join(", ")} could not be installed: npm ended with ${code}`);
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
