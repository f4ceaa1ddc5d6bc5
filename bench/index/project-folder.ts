// Where the project lies: what the benchmark starts, it starts from there.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectFolder = join(dirname(fileURLToPath(import.meta.url)), "../..");
