// A disk that can be full: a file system in memory only for the database, whose size is cut to what is used. Nothing is
// written to fill it, and the machine's own disks are not touched. It needs the right to mount: root on Linux.
import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";

export interface TrialDisk {
  folder: string;
  /** Leaves `bytes` free, rounded to pages, or more while somebody writes: a size below what is used is refused. */
  fill(bytes: number): void;
  /** Makes room again. */
  free(): void;
  unmount(): Promise<void>;
}

/** The most memory that it can ever use. */
const SIZE = 4 * 2 ** 30;
const PAGE = 4_096;

/** Undefined where mounting is not possible. `size`: in bytes. */
export function mountDisk(folder: string, size: number = SIZE): TrialDisk | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  mkdirSync(folder, { recursive: true });
  const mounted = run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=711`, "tidemark-trial", folder]);
  if (mounted !== undefined) return undefined;
  const resize = (bytes: number) => {
    const problem = run("mount", ["-o", `remount,size=${bytes}`, folder]);
    if (problem !== undefined) throw new Error(`${folder} cannot be resized: ${problem}`);
  };
  return {
    folder,
    fill(bytes) {
      for (let room = bytes; ; room = 2 * room + PAGE) {
        const { blocks, bfree, bsize } = statfsSync(folder);
        try {
          return resize(Math.max(PAGE, (blocks - bfree) * bsize + room)); // 0 is no limit at all
        } catch (error) {
          if (room > size) throw error;
        }
      }
    },
    free: () => resize(size),
    async unmount() {
      const problem = run("umount", [folder]);
      if (problem !== undefined) throw new Error(`${folder} is still mounted: ${problem}`);
    },
  };
}

/** What went wrong; undefined: nothing. */
function run(command: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
