// Writes a new protocol's files and registry lines below a folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { protocolFiles } from "./protocol-files.ts";
import { registered, registryPaths } from "./registry-lines.ts";

export class ProtocolNameError extends Error {
  override name = "ProtocolNameError";
}

/**
 * Paths of what was written, relative to `root`. Nothing is written unless all of it can be.
 * @throws ProtocolNameError when the name is not kebab-case or taken
 */
export function createProtocol(root: string, name: string): string[] {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new ProtocolNameError(
      `"${name}" is not kebab-case: give letters and digits, parted by dashes, like lend-pool`,
    );
  const files = protocolFiles(name);
  const taken = [`src/protocols/${name}`, `gateway/protocols/${name}`, ...Object.keys(files)].find((path) =>
    existsSync(join(root, path)),
  );
  if (taken !== undefined) throw new ProtocolNameError(`"${name}" is taken: there is ${taken}`);
  const written = new Map(Object.entries(files));
  for (const path of registryPaths) written.set(path, registered(path, name, readFileSync(join(root, path), "utf8")));
  for (const [path, text] of written) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...written.keys()];
}
