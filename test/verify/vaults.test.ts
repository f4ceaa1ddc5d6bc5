// What counts as a difference between a vault as served and its contract.
import type { Address, PublicClient } from "viem";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Plan, parsePlan } from "../../verify/arguments.ts";
import { compareVaults, emptyVaultsReport, type VaultsReport } from "../../verify/compare-vaults.ts";
import type { Served } from "../../verify/served-answers.ts";
import type { ServedVault } from "../../verify/served-vaults.ts";
import { verifyVaults } from "../../verify/verify-vaults.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { startStubNode } from "../support/stub-node.ts";

const [VAULT, TOKEN, ANNA, BEN, CORE] = [1, 2, 3, 4, 5].map((n) => `0x${String(n).padStart(40, "0")}` as Address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];

/** 300 shares that are worth 450. */
const vault: ServedVault = {
  kind: "erc4626",
  address: VAULT,
  tokens: [TOKEN],
  holders: [
    { account: ANNA, amount: 200n },
    { account: BEN, amount: 100n },
  ],
  supply: 300n,
  backing: [450n],
  waiting: 0n,
  isStopped: false,
  isUnanswered: false,
};

/** By view and argument, or by view and contract; what is not there reverts. */
type Contract = Record<string, unknown>;
const sound: Contract = {
  totalSupply: 300n,
  asset: TOKEN.toUpperCase().replace("0X", "0x"),
  [`balanceOf ${ANNA}`]: 200n,
  [`balanceOf ${BEN}`]: 100n,
  totalAssets: 450n,
  "convertToAssets 200": 300n,
  "convertToAssets 100": 150n,
};

const clientOf = (contract: Contract): PublicClient =>
  ({
    async multicall({ contracts }: { contracts: { address: Address; functionName: string; args: unknown[] }[] }) {
      return contracts.map(({ address, functionName, args }) => {
        const result = contract[[functionName, ...args].join(" ")] ?? contract[`${functionName} of ${address}`];
        return result === undefined ? { status: "failure" } : { status: "success", result };
      });
    },
    // what failed is asked again by itself
    call: () => Promise.reject(new Error("execution reverted")),
  }) as unknown as PublicClient;

let report: VaultsReport;
beforeEach(() => {
  report = emptyVaultsReport();
});

async function differences(served: ServedVault, contract: Contract): Promise<string[]> {
  await compareVaults(clientOf(contract), { vaults: [served], block: 7 }, report);
  return report.kinds.get(served.kind)?.noted ?? [];
}

describe("a vault", () => {
  it("is its contract's where every view says so", async () => {
    expect(await differences(vault, sound)).toEqual([]);
    const { compared, differences: count } = report.kinds.get("erc4626") ?? {};
    expect(count).toBe(0);
    expect(Object.fromEntries(compared ?? [])).toEqual({
      totalSupply: 1,
      asset: 1,
      balanceOf: 2,
      totalAssets: 1,
      convertToAssets: 2,
    });
  });

  it.each(Object.keys(sound))("differs by one wei or another address in %s", async (view) => {
    const [first] = await differences(vault, {
      ...sound,
      [view]: view === "asset" ? ANNA : (sound[view] as bigint) + 1n,
    });
    expect(first).toContain(`${VAULT} at block 7: ${view.split(" ")[0]}(`);
  });

  it("differs where a view does not answer", async () => {
    const { totalAssets: _, ...rest } = sound;
    expect(await differences(vault, rest)).toEqual([
      `${VAULT} at block 7: totalAssets() of ${VAULT} served 450; contract reverts`,
    ]);
  });

  it("asks again for accounts that had some before", async () => {
    await differences(vault, sound);
    const left: ServedVault = { ...vault, holders: [{ account: ANNA, amount: 200n }], supply: 200n, backing: [300n] };
    const contract = { ...sound, totalSupply: 200n, totalAssets: 300n };
    expect(await differences(left, contract)).toEqual([
      `${VAULT} at block 7: balanceOf(${BEN}) of ${VAULT} served 0; contract 100`,
    ]);
  });

  it("that is listed has nothing before its code, and must have nothing", async () => {
    const empty: ServedVault = { ...vault, holders: [], supply: 0n, backing: [0n] };
    expect(await differences(empty, {})).toEqual([]);
    expect(await differences(vault, {})).not.toEqual([]);
    const announced: ServedVault = { ...empty, kind: "bault" };
    expect(await differences(announced, {})).not.toEqual([]);
  });

  it("of a pair holds what the tokens' contracts say", async () => {
    const pair: ServedVault = { ...vault, kind: "v2-pair", tokens: [TOKEN, BEN], backing: [5n, 6n] };
    const contract = { ...sound, token0: TOKEN, token1: BEN, [`balanceOf ${VAULT}`]: 5n };
    expect(await differences(pair, contract)).toEqual([
      `${VAULT} at block 7: balanceOf(${VAULT}) of ${BEN} served 6; contract 5`,
    ]);
  });

  it("of a pair holds nothing of a token that has no code, and must hold nothing", async () => {
    const pair: ServedVault = { ...vault, kind: "v2-pair", tokens: [TOKEN, BEN], backing: [5n, 0n] };
    const { [`balanceOf ${BEN}`]: _, ...rest } = sound;
    const contract = { ...rest, token0: TOKEN, token1: BEN, [`balanceOf of ${TOKEN}`]: 5n };
    const ofAnna = { ...pair, holders: pair.holders.slice(0, 1) };
    expect(await differences(ofAnna, contract)).toEqual([]);
    expect(await differences({ ...ofAnna, backing: [5n, 1n] }, contract)).toEqual([
      `${VAULT} at block 7: balanceOf(${VAULT}) of ${BEN} served 1; contract reverts`,
    ]);
  });

  it("whose contract counts virtual shares is its contract's as far as these go", async () => {
    // OpenZeppelin's 200 * (450 + 1) / (300 + 1) = 299.6, 100 * 451 / 301 = 149.8; with three decimals more,
    // 200 * 451 / 1300 = 69.3
    const virtual = {
      ...sound,
      [`decimals of ${VAULT}`]: 18,
      [`decimals of ${TOKEN}`]: 18,
      "convertToAssets 200": 299n,
      "convertToAssets 100": 149n,
    };
    expect(await differences(vault, virtual)).toEqual([]);
    expect([...(report.kinds.get("erc4626")?.quirks ?? [])]).toEqual([["virtual shares", { numbers: 2, most: 1n }]]);
    expect(await differences(vault, { ...virtual, "convertToAssets 100": 151n })).toHaveLength(1);
    expect(await differences(vault, { ...virtual, [`decimals of ${VAULT}`]: 15 })).toHaveLength(3);
  });

  it("whose virtual shares are noticeably many holds less for its holders than is served", async () => {
    const emptied: ServedVault = { ...vault, holders: [{ account: ANNA, amount: 3n }], supply: 3n, backing: [4_000n] };
    const contract = {
      ...sound,
      ...{ totalSupply: 3n, totalAssets: 4_000n, [`balanceOf ${ANNA}`]: 3n, "convertToAssets 3": 3_000n },
      ...{ [`decimals of ${VAULT}`]: 18, [`decimals of ${TOKEN}`]: 18 },
    };
    expect(await differences(emptied, contract)).toEqual([
      `${VAULT} at block 7: convertToAssets(3) of ${VAULT} served 4000; contract 3000`,
    ]);
  });

  it("of Infrared has one unit more than its stakers where its core has it", async () => {
    const staked: ServedVault = { ...vault, kind: "infrared", backing: [300n] };
    const contract = { ...sound, stakingToken: TOKEN, totalSupply: 301n, infrared: CORE, [`balanceOf ${CORE}`]: 1n };
    expect(await differences(staked, contract)).toEqual([]);
    expect(report.kinds.get("infrared")?.differences).toBe(0);
    expect([...(report.kinds.get("infrared")?.quirks ?? [])]).toEqual([
      ["a unit that nobody staked", { numbers: 2, most: 1n }],
    ]);
    const text = `${VAULT} at block 7: totalSupply() of ${VAULT} served 300; contract`;
    expect(await differences(staked, { ...contract, totalSupply: 302n })).toEqual([`${text} 302`, `${text} 302`]);
    report = emptyVaultsReport();
    expect(await differences(staked, { ...contract, [`balanceOf ${CORE}`]: 0n })).toEqual([
      `${text} 301`,
      `${text} 301`,
    ]);
  });

  it("is compared with every holder, however many there are", async () => {
    const holders = Array.from({ length: 130_000 }, (_, n) => ({ account: accountOf(n) as Address, amount: 1n }));
    const contract = Object.fromEntries(holders.map(({ account, amount }) => [`balanceOf ${account}`, amount]));
    const wide: ServedVault = { ...vault, kind: "reward-vault", holders, backing: [300n] };
    expect(await differences(wide, { ...contract, stakeToken: TOKEN, totalSupply: 300n })).toEqual([]);
    expect(report.kinds.get("reward-vault")?.compared.get("balanceOf")).toBe(holders.length);
  });

  it("is counted as stopped where the product says that it has stopped", async () => {
    expect(await differences({ ...vault, kind: "island", isStopped: true }, {})).toEqual([]);
    expect([...(report.kinds.get("island")?.stopped ?? [])]).toEqual([VAULT]);
  });

  it("is left out where its shares or what it takes are unknown, whatever is served of it", async () => {
    expect(await differences({ ...vault, backing: [0n], isUnanswered: true }, sound)).toEqual([]);
    expect(report.kinds.get("erc4626")).toMatchObject({ differences: 0, unanswered: new Set([VAULT]) });
  });

  it("may refuse the worth of shares whose product with its assets is beyond a word, and of no others", async () => {
    const { "convertToAssets 200": _, ...refusing } = sound;
    expect(await differences(vault, refusing)).toEqual([
      `${VAULT} at block 7: convertToAssets(200) of ${VAULT} served 300; contract reverts`,
    ]);
    report = emptyVaultsReport();
    const huge = 2n ** 250n;
    const held: ServedVault = { ...vault, holders: [{ account: ANNA, amount: huge }], supply: huge, backing: [huge] };
    const contract = { totalSupply: huge, asset: TOKEN, totalAssets: huge, [`balanceOf ${ANNA}`]: huge };
    expect(await differences(held, contract)).toEqual([]);
  });
});

describe("verify --vaults", () => {
  const HASH = `0x${"a".repeat(64)}`;

  async function verify(...vaults: ServedVault[]): Promise<number> {
    const node = await startStubNode({ chainId: 1, head: 7, hashAt: () => HASH });
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const served = {
      head: async () => 7,
      firstBlock: async () => 0,
      ask: async () => ({ vaults, blockHash: HASH }),
    } as unknown as Served;
    const place = { chain: chainFixture({ chainId: 1, startBlock: 0 }), rpcUrl: node.url };
    try {
      return await verifyVaults(served, place, parsePlan(["--vaults", "--block", "7"]) as Plan);
    } finally {
      log.mockRestore();
      await node.close();
    }
  }

  it("says why nothing was verified", async () => {
    await expect(verify()).rejects.toThrow("nothing was verified: there is no vault, pair or island yet");
    await expect(verify({ ...vault, isUnanswered: true })).rejects.toThrow(
      "nothing was verified: what there is was left out, as ledgers that it needs broke",
    );
  });

  it("counts what is stopped as wrong, though nothing else is there", async () => {
    expect(await verify({ ...vault, isStopped: true }, { ...vault, address: CORE, isUnanswered: true })).toBe(1);
  });
});
