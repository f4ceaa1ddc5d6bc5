// The lake's files as the manifest names them: each is read through once and compared with its sha-256 before anything is
// answered from it, and again whenever the file system says that it may be another file.
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { SqlDamagedError } from "../gateway/sql/sql-errors.ts";
import { hashOfFile } from "../lake/made-file.ts";
import { type FileEntry, filesOf, type Manifest, ManifestError, readManifest } from "../lake/manifest.ts";
import { partialOf } from "../machine/partial-file.ts";

/** What the file system says of a file; text, as its numbers are larger than JavaScript's. */
type Marks = string;

const recordFile = z.record(z.string(), z.object({ marks: z.string(), sha256: z.string() }));

const STATS_AT_ONCE = 64;

export class LakeFiles {
  readonly folder: string;
  readonly #recordPath: string;
  #verified: Record<string, { marks: Marks; sha256: string }> | undefined;
  #manifest: { marks: Marks; content: Manifest | undefined } | undefined;

  /** `folder`: that of the chain, `<lake>/<chain id>`. `recordPath`: where it is written down which files were right. */
  constructor(folder: string, recordPath: string) {
    this.folder = folder;
    this.#recordPath = recordPath;
  }

  /**
   * The manifest, whose files all are what it says; undefined while there is none.
   * @throws SqlDamagedError naming the first file that is not
   */
  async verified(): Promise<Manifest | undefined> {
    const manifest = await this.#readManifest();
    if (manifest) await this.#verify(filesOf(manifest));
    return manifest;
  }

  async #readManifest(): Promise<Manifest | undefined> {
    const marks = (await marksOf(this.folder, "manifest.json")) ?? "none";
    if (this.#manifest?.marks !== marks) {
      try {
        this.#manifest = { marks, content: await readManifest(this.folder) };
      } catch (error) {
        if (!(error instanceof ManifestError)) throw asDamaged(error, "manifest.json");
        const cure = "Move it away, and `npm run lake` writes the lake anew: the same files";
        throw new SqlDamagedError("manifest.json", "is not whole", cure);
      }
    }
    return this.#manifest.content;
  }

  async #verify(files: readonly FileEntry[]): Promise<void> {
    const record = await this.#record();
    let hasNew = false;
    for (let start = 0; start < files.length; start += STATS_AT_ONCE) {
      const some = files.slice(start, start + STATS_AT_ONCE);
      const marks = await Promise.all(some.map(({ path }) => marksOf(this.folder, path)));
      for (const [i, file] of some.entries()) {
        const found = marks[i];
        if (found === undefined) throw new SqlDamagedError(file.path, "is missing");
        const before = record[file.path];
        if (before?.marks === found && before.sha256 === file.sha256) continue;
        await this.#verifyFile(file, found);
        hasNew = true;
      }
    }
    if (hasNew) await this.#write(record);
  }

  async #verifyFile({ path, sha256 }: FileEntry, marks: Marks): Promise<void> {
    const record = await this.#record();
    delete record[path];
    const place = join(this.folder, path);
    const found = await hashOfFile(place).catch((error: unknown) => {
      throw asDamaged(error, path);
    });
    if (found !== sha256) throw new SqlDamagedError(path, "does not have the sha-256 that its manifest names");
    // it may have been replaced while it was read: then it is read again
    if ((await marksOf(this.folder, path)) === marks) record[path] = { marks, sha256 };
  }

  async #record(): Promise<Record<string, { marks: Marks; sha256: string }>> {
    this.#verified ??= await readRecord(this.#recordPath);
    return this.#verified;
  }

  /** Without the record only time is lost: where it cannot be written, as on a full disk, statements are answered all the same. */
  async #write(record: object): Promise<void> {
    const aside = partialOf(this.#recordPath);
    try {
      await mkdir(dirname(this.#recordPath), { recursive: true });
      await writeFile(aside, JSON.stringify(record));
      await rename(aside, this.#recordPath);
    } catch {
      await rm(aside, { force: true }).catch(() => {});
    }
  }
}

/** Where the file system refuses a file, or gives none of its bytes. */
const asDamaged = (error: unknown, path: string): unknown =>
  error instanceof Error && "syscall" in error && "code" in error
    ? new SqlDamagedError(path, `cannot be read (${error.code})`)
    : error;

/** Undefined where there is no such file. @throws SqlDamagedError */
async function marksOf(folder: string, path: string): Promise<Marks | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(join(folder, path), { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asDamaged(error, path);
  }
}

async function readRecord(path: string): Promise<z.infer<typeof recordFile>> {
  try {
    return recordFile.safeParse(JSON.parse(await readFile(path, "utf8"))).data ?? {};
  } catch {
    return {};
  }
}
