// A database only for one benchmark, dropped when it is done.
import { randomBytes } from "node:crypto";
import postgres from "postgres";

/** Runs `use` with the URL of a fresh database of `server`; `name` begins its name. */
export async function withDatabase<T>(
  server: { url: string },
  name: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const database = `${name}_${randomBytes(4).toString("hex")}`;
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    await admin.unsafe(`create database ${database}`);
    return await use(server.url.replace(/[^/]*$/, database));
  } finally {
    await admin.unsafe(`drop database if exists ${database} with (force)`);
    await admin.end({ timeout: 2 });
  }
}
