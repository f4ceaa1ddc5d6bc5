// Token lists are valid by the schema that wallets check them with, whatever launched tokens call themselves.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Address } from "../../gateway/parameters.ts";
import {
  buildTokenList,
  type GraduatedToken,
  listedName,
  listedSymbol,
} from "../../gateway/protocols/launch/token-list.ts";
import { tokenOf } from "../support/reference-ledger.ts";

const path = createRequire(import.meta.url).resolve("@uniswap/token-lists/src/tokenlist.schema.json");
const schema = JSON.parse(readFileSync(path, "utf8")) as object;
const ajv = new Ajv({ allErrors: true, verbose: true });
addFormats.default(ajv);
const validate = ajv.compile(schema);
const problems = (list: object): string[] => {
  validate(list);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

const chain = { chainId: 80_094, name: "some-chain-with-a-name-longer-than-lists-may-have" };
const graduate = (
  i: number,
  names: Partial<Pick<GraduatedToken, "name" | "symbol" | "decimals">> = {},
): GraduatedToken => ({
  address: tokenOf(i) as Address,
  graduated: { block: 100 + i, logIndex: 3, timestamp: 1_700_000_000 + i },
  ...{ name: `Token ${i}`, symbol: `T${i}`, decimals: 18 },
  ...names,
});

describe("a token list", () => {
  it.each([1, 2, 500, 10_000, 10_001])("of %i graduated tokens is valid", (count) => {
    const tokens = Array.from({ length: count }, (_, i) => graduate(i + 1));
    const list = buildTokenList(chain, { tokens, start: 1_600_000_000 });
    expect(problems(list)).toEqual([]);
    expect(list.version).toEqual({ major: 1, minor: count, patch: 0 });
    expect(list.timestamp).toBe(new Date((1_700_000_000 + count) * 1000).toISOString());
    expect(list.tokens).toHaveLength(Math.min(count, 10_000));
    expect(list.tokens.at(-1)?.address).toBe(tokenOf(count));
  });

  it("of no tokens is valid but for being empty", () => {
    const list = buildTokenList(chain, { tokens: [], start: 1_600_000_000 });
    expect(problems(list)).toEqual(["/tokens must NOT have fewer than 1 items"]);
    expect(list).toEqual({
      name: "Launched on some chain with a",
      timestamp: "2020-09-13T12:26:40.000Z",
      version: { major: 1, minor: 0, patch: 0 },
      tokens: [],
    });
  });

  it("has no description and nothing social", () => {
    const [token] = buildTokenList(chain, { tokens: [graduate(1)], start: undefined }).tokens;
    expect(Object.keys(token ?? {})).toEqual(["chainId", "address", "name", "symbol", "decimals"]);
  });

  it.each([
    [" to the  moon ", "to-the-moon", "to the moon"],
    ["", "UNKNOWN", "UNKNOWN"],
    ["\u00a0\u3000", "UNKNOWN", "UNKNOWN"],
    [undefined, "UNKNOWN", "UNKNOWN"],
    ["x".repeat(100), "x".repeat(20), "x".repeat(60)],
    ["🐼".repeat(40), "🐼".repeat(10), "🐼".repeat(30)],
    [`${"y".repeat(59)} z`, "y".repeat(20), "y".repeat(59)],
    ["\u200bzero\u2028width\ufeff", "\u200bzero-width", "\u200bzero width"],
  ])("fits %j", (given, symbol, name) => {
    expect([listedSymbol(given), listedName(given, symbol)]).toEqual([symbol, name]);
    for (const decimals of [0, 18, 77]) {
      const tokens = [graduate(1, { name: given, symbol: given, decimals })];
      expect(problems(buildTokenList(chain, { tokens, start: 0 }))).toEqual([]);
    }
  });
});
