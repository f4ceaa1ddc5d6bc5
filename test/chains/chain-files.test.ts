// Chain files: the shipped ones load, and every mistake in one is a single line naming file, field and cure.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileRule } from "../../chains/check/file-alone.ts";
import { mistake, notice } from "../../chains/check/findings.ts";
import { indexingOf } from "../../chains/indexing.ts";
import { ChainFileError, loadChain, loadChains, loadSingleChain, shippedChainNames } from "../../chains/load.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-chains-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const berachain = (): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL("../../chains/berachain.json", import.meta.url), "utf8"));

/** A copy of berachain.json in which the field at `path` is `value` (`undefined` removes it). */
function broken(path: string, value: unknown): string {
  const chain = berachain();
  const keys = path.split(".");
  const last = keys.pop() as string;
  let target: Record<string, unknown> = chain;
  for (const key of keys) target = target[key] as Record<string, unknown>;
  if (value === undefined) delete target[last];
  else target[last] = value;
  return written(JSON.stringify(chain));
}

function written(text: string): string {
  const path = join(folder, "chain.json");
  writeFileSync(path, text);
  return path;
}

function complaint(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    expect(error).toBeInstanceOf(ChainFileError);
    return (error as ChainFileError).message;
  }
  throw new Error("the chain file was accepted");
}

describe("a list of tokens", () => {
  const DAI = { address: `0x${"d1".repeat(20)}`, startBlock: 7 };
  const wrappedNative = { address: `0x${"e2".repeat(20)}`, symbol: "WETH", flavour: "weth9" };
  const tokensOf = (fields: object) =>
    loadChain(written(JSON.stringify({ ...berachain(), startBlock: 5, ...fields }))).tokens;

  it("has the wrapped native besides: its Deposits and Withdrawals are read anyway, and would be all that is known of it", () => {
    const tokens = [DAI];
    const wrapped = { address: wrappedNative.address, startBlock: 0 };
    expect(tokensOf({ wrappedNative, otherWrapped: [], tokens })).toEqual([DAI, wrapped]);
    expect(tokensOf({ wrappedNative, otherWrapped: [], tokens: [wrapped] })).toEqual([wrapped]);
    expect(tokensOf({ wrappedNative: { ...wrappedNative, flavour: "transfer" }, otherWrapped: [], tokens })).toEqual([
      DAI,
    ]);
    expect(tokensOf({ wrappedNative, otherWrapped: [], tokens: "all" })).toBe("all");
  });
});

it("the check says so where a vault's holder is named that does not count for vaults of its kind", () => {
  const listed = { address: `0x${"e3".repeat(20)}`, asset: `0x${"e2".repeat(20)}`, startBlock: 7 };
  const holder = `0x${"e4".repeat(20)}`;
  const findingsOf = (kind: string) =>
    fileRule(loadChain(written(JSON.stringify({ ...berachain(), externalVaults: [{ ...listed, kind, holder }] }))));
  expect(findingsOf("erc4626")).toEqual([]);
  expect(findingsOf("erc4626-queued")).toEqual([
    notice("externalVaults[0].holder", expect.stringContaining("is not used") as unknown as string),
  ]);
});

it("the check finds a provider that is listed twice, in whatever case, and a referral code that is", () => {
  const provider = (name: string) => ({ name, weight: "1", priority: 0 });
  const providers = [provider("Fly"), provider("Enso"), provider("fly")];
  const referralCodes = [1, 2, 2].map((code, i) => ({ code, maxFeeBps: i }));
  const file = loadChain(written(JSON.stringify({ ...berachain(), providers, referralCodes })));
  expect(fileRule(file)).toEqual([
    mistake("providers[2].name", "fly is providers[0], too: remove one"),
    mistake("referralCodes[2].code", "2 is referralCodes[1], too: remove one"),
  ]);
});

describe("shipped chain files", () => {
  it.each(shippedChainNames())("%s loads, and is called what its file is called", (name) => {
    expect(loadChain(name).name).toBe(name);
  });

  it("are berachain and devnet at least", () => {
    expect(shippedChainNames()).toEqual(expect.arrayContaining(["berachain", "devnet"]));
  });

  it("have different chain ids, so that they can be served together", () => {
    expect(loadChains(shippedChainNames().join(","))).toHaveLength(shippedChainNames().length);
  });

  it.each(shippedChainNames())("%s lists no token, stable, provider or source twice", (name) => {
    const chain = loadChain(name);
    const lists = [
      chain.knownTokens.map((token) => token.address),
      chain.stables.map((stable) => stable.address),
      chain.externalVaults.map((vault) => vault.address),
      chain.providers.map((provider) => provider.name.toLowerCase()),
      chain.providers.map((provider) => String(provider.priority)),
      chain.referralCodes.map((referral) => String(referral.code)),
    ];
    for (const list of lists) expect(new Set(list).size).toBe(list.length);
  });

  it.each(shippedChainNames())("%s knows every token it wraps or gives a price", (name) => {
    const chain = loadChain(name);
    const listed = new Set(chain.knownTokens.map((token) => token.address as string));
    const needed = [chain.wrappedNative, ...chain.stables, ...chain.otherWrapped].map((token) => token.address);
    expect(needed.filter((address) => !listed.has(address))).toEqual([]);
  });

  it("devnet has one v3 deployment of each flavour, with nothing in common", () => {
    const deployments = loadChain("devnet").v3?.deployments ?? [];
    expect(deployments.map(({ flavour }) => flavour)).toEqual(["uniswap", "kodiak"]);
    const addresses = deployments.flatMap((deployment) => JSON.stringify(deployment).match(/0x[0-9a-f]{40}/g) ?? []);
    expect(addresses).toHaveLength(10);
    expect(new Set(addresses).size).toBe(10);
  });

  it("lower-cases every address", () => {
    expect(JSON.stringify(loadChain("berachain"))).not.toMatch(/0x[0-9a-f]*[A-F]/);
  });

  it("describe Berachain as its contracts are deployed", () => {
    const chain = loadChain("berachain");
    expect(chain.chainId).toBe(80094);
    expect(chain.wrappedNative.flavour).toBe("transfer");
    expect(chain.v3?.deployments.map(({ flavour }) => flavour)).toEqual(["kodiak"]);
    // 35 % of the swap fee on both sides, in 1/10,000, packed as low and high 16 bits.
    const packed = chain.v3?.deployments[0]?.defaultFeeProtocol ?? 0;
    expect([packed & 0xffff, packed >> 16]).toEqual([3500, 3500]);
    expect(chain.aggregator?.selector).toBe("0xd2644d14");
  });
});

describe("a chain file with a mistake", () => {
  const cases: [string, unknown, RegExp][] = [
    ["chainId", undefined, /chainId: is missing; add it \(number\)/],
    ["chainId", "80094", /chainId: expected number, received string; correct the value/],
    ["chainId", 0, /chainId: .*>0/],
    ["name", "Bera Chain", /name: must be lower-case letters, digits and dashes/],
    ["nativeSymbol", "", /nativeSymbol: /],
    ["startBlock", -1, /startBlock: .*>=0/],
    ["startBlock", 1.5, /startBlock: expected int/],
    ["tokens", "some", /tokens: /],
    [
      "tokens",
      [{ address: "0x12", startBlock: 0 }],
      /tokens\[0\]\.address: must be a 0x-prefixed address of 40 hex digits/,
    ],
    ["wrappedNative.flavour", "weth10", /wrappedNative\.flavour: .*"weth9"\|"transfer"/],
    ["wrappedNative.address", "0x6969", /wrappedNative\.address: must be a 0x-prefixed address/],
    ["knownTokens.3.decimals", 78, /knownTokens\[3\]\.decimals: .*<=77/],
    ["stables.0.priceUsd", 1, /stables\[0\]\.priceUsd: expected string/],
    ["v2.router", "not an address", /v2\.router: must be a 0x-prefixed address/],
    ["v3.deployments", [], /v3\.deployments: /],
    ["v3.deployments.0.flavour", "pancake", /v3\.deployments\[0\]\.flavour: /],
    ["v3.deployments.0.quoterV2", undefined, /v3\.deployments\[0\]\.quoterV2: is missing/],
    ["v3.deployments.0.positionManager.startBlock", -1, /v3\.deployments\[0\]\.positionManager\.startBlock: /],
    ["rewardVaults.factory", undefined, /rewardVaults\.factory: is missing/],
    ["rewardVaults.distributor", "0x6969", /rewardVaults\.distributor: /],
    [
      "v3.deployments.0.defaultFeeProtocol",
      undefined,
      /v3\.deployments\[0\]\.defaultFeeProtocol: is missing; a kodiak deployment needs it: write what defaultFeeProtocol\(\)/,
    ],
    ["externalVaults.0.kind", "curve", /externalVaults\[0\]\.kind: /],
    ["aggregator.selector", "0xd2644d1", /aggregator\.selector: /],
    ["providers.0.weight", "heavy", /providers\[0\]\.weight: /],
    ["referralCodes.0.code", 65536, /referralCodes\[0\]\.code: .*<=65535/],
    ["gasTipWei", "1 gwei", /gasTipWei: /],
    ["pollingIntervalMs", 10, /pollingIntervalMs: .*>=50/],
    ["farm", {}, /: farm: unknown field; remove it or correct its spelling/],
    ["v3.flavour", "kodiak", /: v3\.flavour: unknown field/],
    ["pricedAs", { WBERA: "0x6969696969696969696969696969696969696969" }, /pricedAs\.WBERA: /],
  ];

  it.each(cases)("%s = %j", (path, value, expected) => {
    const file = broken(path, value);
    const message = complaint(() => loadChain(file));
    expect(message).toMatch(expected);
    expect(message).toContain("chain.json: ");
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(300);
  });

  it("has all of its mistakes in the error, one line each", () => {
    const file = written(JSON.stringify({ ...berachain(), chainId: "x", startBlock: "y" }));
    try {
      loadChain(file);
      expect.fail("the chain file was accepted");
    } catch (error) {
      const { lines } = error as ChainFileError;
      expect(lines).toEqual([expect.stringMatching(/^chainId: /), expect.stringMatching(/^startBlock: /)]);
    }
  });

  it("counts the mistakes beyond the first", () => {
    const file = written(JSON.stringify({ ...berachain(), chainId: "x", startBlock: "y", nativeSymbol: 1 }));
    expect(complaint(() => loadChain(file))).toMatch(/\(2 more\)$/);
  });

  it.each(["", "{", '{"name": "x",\n}', "[]", '"devnet"', "null"])("is one line for the text %j", (text) => {
    const message = complaint(() => loadChain(written(text)));
    expect(message).toContain("chain.json: ");
    expect(message).not.toContain("\n");
  });
});

describe("the part of a chain file about reward vaults", () => {
  it("needs the factory alone, which is then all that is indexed of them", () => {
    const { rewardVaults } = berachain() as { rewardVaults: { factory: unknown } };
    const chain = loadChain(broken("rewardVaults", { factory: rewardVaults.factory }));
    expect(chain.rewardVaults).toMatchObject({ distributor: null, beraChef: null, rewardToken: null });
    const { rewardVaultFactories, distributors, beraChefs, rewardTokens } = indexingOf(chain);
    expect(rewardVaultFactories.addresses).toHaveLength(1);
    expect([distributors, beraChefs, rewardTokens].flatMap(({ addresses }) => addresses)).toEqual([]);
  });

  it("indexes what it names, as before", () => {
    const { distributors, beraChefs, rewardTokens } = indexingOf(loadChain("berachain"));
    for (const { addresses } of [distributors, beraChefs, rewardTokens]) expect(addresses).toHaveLength(1);
  });
});

describe("a chain file without what its chain does not have", () => {
  const unused = [
    "v2",
    "v3",
    "islands",
    "rewardVaults",
    "farms",
    "baults",
    "infrared",
    "launch",
    "aggregator",
  ] as const;

  it("is the same as one that says null", () => {
    const { externalVaults, ...rest } = berachain();
    const left = Object.fromEntries(
      Object.entries(rest).filter(([key]) => !(unused as readonly string[]).includes(key)),
    );
    const said = { ...left, ...Object.fromEntries(unused.map((key) => [key, null])) };
    const chain = loadChain(written(JSON.stringify(left)));
    expect(chain).toEqual(loadChain(written(JSON.stringify(said))));
    for (const key of unused) expect(chain[key]).toBeNull();
    expect(chain.externalVaults).toEqual([]);
  });

  it("may leave out a BeraChef, a mixed quoter, and the first protocol fee of a uniswap deployment", () => {
    expect(loadChain(broken("rewardVaults.beraChef", undefined)).rewardVaults?.beraChef).toBeNull();
    expect(loadChain(broken("v3.deployments.0.mixedRouteQuoterV1", undefined)).v3?.deployments[0]).toMatchObject({
      mixedRouteQuoterV1: null,
    });
    const text = JSON.stringify(berachain())
      .replace('"kodiak"', '"uniswap"')
      .replace(/,"defaultFeeProtocol":\d+/, "");
    expect(text).not.toContain("defaultFeeProtocol");
    expect(loadChain(written(text)).v3?.deployments[0]?.defaultFeeProtocol).toBe(0);
  });
});

describe("CHAIN", () => {
  it("takes a name, a path, or several separated by commas; the first is the default", () => {
    const path = written(JSON.stringify({ ...berachain(), name: "bepolia", chainId: 80084 }));
    expect(loadChains(`berachain, ${path}`).map((chain) => chain.chainId)).toEqual([80094, 80084]);
  });

  it("names the chains there are when it names none of them", () => {
    const message = complaint(() => loadChain("mainnet"));
    expect(message).toContain("chains/mainnet.json");
    for (const name of shippedChainNames()) expect(message).toContain(name);
  });

  it.each(["./nowhere.json", "nowhere/chain", "nowhere.json", "."])("refuses the path %s in one line", (path) => {
    expect(complaint(() => loadChain(path))).not.toContain("\n");
  });

  it.each(["", ",", "berachain,"])("refuses the list %j", (list) => {
    expect(complaint(() => loadChains(list))).toMatch(/empty/);
  });

  it("refuses two chains with one id, naming both", () => {
    const path = broken("name", "copy");
    const message = complaint(() => loadChains(`berachain,${path}`));
    expect(message).toContain("berachain");
    expect(message).toContain(path);
    expect(message).toContain("80094");
  });

  it("refuses two chains with one name, naming both: metrics and pages could not tell them apart", () => {
    const path = broken("chainId", 80_095);
    expect(complaint(() => loadChains(`berachain,${path}`))).toBe(
      `CHAIN: "berachain" and "${path}" both have the name "berachain"; give one of them another, names must differ`,
    );
  });
});

describe("a command that reads one chain", () => {
  it("reads the one that CHAIN names, else the first that runs, else the devnet", () => {
    const named = [
      ["berachain", "devnet"],
      ["", "berachain,devnet"],
      [undefined, undefined],
    ].map(([chain, running]) => loadSingleChain(chain, running).name);
    expect(named).toEqual(["berachain", "berachain", "devnet"]);
  });

  it("does not choose among several that CHAIN names", () => {
    expect(complaint(() => loadSingleChain("devnet,berachain", undefined))).toBe(
      "CHAIN names 2 chains, and this command reads one: name one of them",
    );
  });
});
