// One protocol never imports another: what two of them share has a floor of its own beneath both. Wherever a protocol's files
// lie, in whichever part, they belong to it.
import { importsOf, type SourceTree } from "./source-tree.ts";

const PARTS = ["src", "core", "fold", "gateway"];
/** Facts like any other, but of no protocol. */
const NO_PROTOCOL = ["block"];

/** Which file imports which other protocol, each once, sorted. */
export function protocolCrossings(tree: SourceTree): string[] {
  const protocols = protocolsIn(tree);
  const crossings = importsOf(tree).flatMap(({ from, to }) => {
    const [mine, theirs] = [protocolOf(from, protocols), protocolOf(to, protocols)];
    return mine === undefined || theirs === undefined || mine === theirs ? [] : [`${from} imports ${theirs}`];
  });
  return [...new Set(crossings)].sort();
}

/** All that have facts of their own, or say what is behind a share. */
export function protocolsIn(tree: SourceTree): Set<string> {
  const named = [...tree.keys()].flatMap((path) => /^\w+\/protocols\/([^/]+)\//.exec(path)?.[1] ?? []);
  return new Set(named.filter((name) => !NO_PROTOCOL.includes(name)));
}

/** By any folder on the way to the file: `gateway/v3/…` is v3's as `gateway/protocols/v3/…` is. */
export function protocolOf(path: string, protocols: ReadonlySet<string>): string | undefined {
  const [part, ...folders] = path.split("/").slice(0, -1);
  return part !== undefined && PARTS.includes(part) ? folders.find((folder) => protocols.has(folder)) : undefined;
}
