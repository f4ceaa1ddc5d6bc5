// The project's folder, in which the benchmark starts its processes.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectFolder = join(dirname(fileURLToPath(import.meta.url)), "../..");
