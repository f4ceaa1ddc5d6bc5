import { fileURLToPath } from "node:url";

/** The project's folder, with a slash at the end: what is started is named relative to it. */
export const projectRoot = fileURLToPath(new URL("..", import.meta.url));
