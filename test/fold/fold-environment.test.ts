// What the fold takes from its environment.
import { expect, it } from "vitest";
import { readEnvironment } from "../../fold/environment.ts";

const good = { CHAIN: "devnet", DATABASE_URL: "postgres://127.0.0.1/x", RPC_URL: "http://127.0.0.1:1" };

it("the fold takes empty variables for unset ones: an old index is not dropped at once where none is named", () => {
  const blank = { KEEP_OLD_INDEX_MINUTES: " ", LOG_LEVEL: " " };
  expect(readEnvironment({ ...good, ...blank })).toEqual(readEnvironment(good));
  const empty = { KEEP_OLD_INDEX_MINUTES: "", LOG_LEVEL: "", PONDER_SCHEMA: "" };
  expect(readEnvironment({ ...good, ...empty })).toEqual(readEnvironment(good));
  expect(readEnvironment(good)).toMatchObject({ keepOldSeconds: 600, logLevel: "info" });
});

it.each([
  ["LOG_LEVEL", "verbose"],
  ["KEEP_OLD_INDEX_MINUTES", "soon"],
  ["KEEP_OLD_INDEX_MINUTES", "-1"],
  ["KEEP_OLD_INDEX_MINUTES", "1e300"],
  ["RPC_URL", "node"],
  ["RPC_URL_31337", "node"],
])("the fold stops at %s=%s with one line that names it", (name, value) => {
  expect(() => readEnvironment({ ...good, [name]: value })).toThrow(new RegExp(`^${name}: must be [^\\n]*$`));
});

it("the fold takes the node of its chain before the one of any chain, as the indexer does", () => {
  const own = { RPC_URL_31337: "http://127.0.0.1:2" };
  expect(readEnvironment({ ...good, ...own }).rpcUrl).toBe("http://127.0.0.1:2");
  expect(readEnvironment({ ...good, ...own, RPC_URL: "" }).rpcUrl).toBe("http://127.0.0.1:2");
  expect(readEnvironment({ ...good, RPC_URL_1: "http://127.0.0.1:2" }).rpcUrl).toBe(good.RPC_URL);
  expect(() => readEnvironment({ ...good, RPC_URL: "" })).toThrow(/^RPC_URL is not set\. /);
});
