// Errors of a lake's folder that was taken away, is full or cannot be written. The lake itself is not at fault, and the writer goes on as soon
// as the folder is there again.
const OF_A_FOLDER = /^(ENOENT|ENOTDIR|EEXIST|EACCES|EPERM|EROFS|EIO|ESTALE|ENOTCONN)$/;

/** The lake's folder cannot be written. */
export class LakeFolderError extends Error {
  override name = "LakeFolderError";
  constructor(lake: string, why: string) {
    super(
      `LAKE: ${lake} cannot be written, or was taken away (${why}); put the folder back, mount it, make it writable, or name another one`,
    );
  }
}

/** `error` as it is, or one that names the folder where the file system refused something in `lake` (Node's words or DuckDB's). */
export function namingFolder(error: unknown, lake: string): unknown {
  if (!(error instanceof Error)) return error;
  const isSystemError = "code" in error && OF_A_FOLDER.test(String(error.code)) && "syscall" in error;
  const isDuckdbError =
    /^IO Error: .*(No such file|Not a directory|Permission denied|Read-only|Input\/output|Stale)/s.test(error.message);
  const isOfLake = error.message.includes(lake) || ("path" in error && lake.startsWith(String(error.path)));
  return (isSystemError || isDuckdbError) && isOfLake ? new LakeFolderError(lake, error.message) : error;
}

/**
 * Whether a disk is full, in Node's words or DuckDB's. DuckDB puts what does not fit into memory on the disk, and stops a little before
 * that is full.
 */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && error.code === "ENOSPC") ||
    /No space left on device|max_temp_directory_size/.test(error.message));
