// Balances through a listed vault that owes one for one and has staked on more than it owes, in two places: numbers worked
// out by hand, below and above the last final block.
import { beforeAll, describe, expect, it } from "vitest";
import { tokenAsset } from "../../gateway/backing/protocol.ts";
import { stakeAsset } from "../../gateway/backing/stake.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import type { Address } from "../../gateway/parameters.ts";
import { inRequest } from "../../verify/in-request.ts";
import { servedVaults } from "../../verify/served-vaults.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { compareIssued, withinRequest } from "../support/issued-each-block.ts";
import { expectNamed } from "../support/named-incomplete.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [ASSET, VAULT, REWARD_VAULT, INFRARED] = [1, 2, 3, 4].map(tokenOf) as [string, string, string, string];
const [ALICE, BOB, CAROL, FACTORY] = [1, 2, 3, 70].map(accountOf) as [string, string, string, string];
const place = (address: string) => ({ address, startBlock: 0 });

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  rewardVaults: { factory: place(FACTORY) },
  infrared: { core: place(FACTORY) },
  externalVaults: [{ ...place(VAULT), kind: "staking", asset: ASSET }],
});

/** The stakes in the reward vault are impossible from here on. */
const BROKEN = 5;
const HEAD = 6;

function tellOwing(): Script {
  const script = new Script();
  const stakes = (vault: string, protocol: string, by: { account: string; amount: bigint }): void =>
    script.tell("stake", { vault, protocol, kind: "stake", delegate: null, ...by, amount: `${by.amount}` });
  for (const account of [ALICE, BOB]) script.mint(ASSET, account, 10_000n);
  for (const [vault, kind] of [
    [REWARD_VAULT, "reward-vault"],
    [INFRARED, "infrared"],
  ] as const)
    script.tell("vault_created", { factory: FACTORY, vault, kind, asset: ASSET });
  script.nextBlock(); // 2: Alice's 100, 60 of which are staked on
  script.move(ASSET, { from: ALICE, to: VAULT, amount: 100n });
  stakes(VAULT, "vault", { account: ALICE, amount: 100n });
  script.move(ASSET, { from: VAULT, to: REWARD_VAULT, amount: 60n });
  stakes(REWARD_VAULT, "reward-vault", { account: VAULT, amount: 60n });
  script.nextBlock(); // 3: somebody stakes 50 for the vault in another place
  script.move(ASSET, { from: BOB, to: INFRARED, amount: 50n });
  stakes(INFRARED, "infrared", { account: VAULT, amount: 50n });
  script.nextBlock(); // 4: and 70 in the first
  script.move(ASSET, { from: BOB, to: REWARD_VAULT, amount: 70n });
  stakes(REWARD_VAULT, "reward-vault", { account: VAULT, amount: 70n });
  return script;
}

function tellBreak(): Script {
  const script = tellOwing();
  script.nextBlock(); // 5: what nobody had is withdrawn
  const way = { protocol: "reward-vault", kind: "withdraw", account: BOB, delegate: null, amount: "1" };
  script.tell("stake", { vault: REWARD_VAULT, ...way });
  script.nextBlock();
  return script;
}

const open = scriptedGateway(chain);

describe.each([4, 2, 1])("what a vault owes (final up to %i)", (finalized) => {
  beforeAll(async () => {
    const index = { ponderSchema: `facts_owing_${finalized}`, foldSchema: `fold_owing_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellOwing(), index);
    return () => dropIndex(open.database.sql, index);
  });

  it.each([
    [2, {}],
    [3, { [`${VAULT} stray`]: 10n + 40n }],
    [4, { [`${VAULT} stray`]: 30n + 50n + 40n }],
  ])("is counted once, however much there is for it at block %i", async (block, stray) => {
    const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, block);
    expect(accounts[ALICE]).toEqual({ balance: 9_900n, external_vaults: 100n });
    expect(unattributed).toEqual(stray);
  });
});

interface Averages {
  unattributed: { contract: string; reason: string; amount: string }[];
  results: { account: string; averageRoundedDown: string }[];
}

/** Over that block alone: each account's average, and by contract and reason what is nobody's. */
async function averagesOver(block: number, more = "") {
  const answer = await open.gateway.get(`/balances/${ASSET}/time-weighted?fromBlock=${block}&toBlock=${block}${more}`);
  const { results, unattributed } = answer.body as unknown as Averages;
  const left: Record<string, bigint> = {};
  for (const { contract, reason, amount } of unattributed ?? []) {
    const key = `${contract} ${reason}`;
    left[key] = (left[key] ?? 0n) + BigInt(amount);
  }
  const averages = results.map(({ account, averageRoundedDown }) => [account, BigInt(averageRoundedDown)] as const);
  return { averages, left };
}

describe.each([1, HEAD])(
  "what a vault owes where it is not known what it has staked on (final up to %i)",
  (finalized) => {
    const isUnknown = (block: number) => Math.max(block, finalized) >= BROKEN;

    beforeAll(async () => {
      const index = { ponderSchema: `facts_onward_${finalized}`, foldSchema: `fold_onward_${finalized}`, finalized };
      await buildScripted(open.database.sql, tellBreak(), index);
    });

    it("is not taken from what it holds beside that, nor from what it has staked in other places", async () => {
      // an Infrared vault owes one for one too, and may have staked on
      const both = { [`${VAULT} stopped`]: 40n, [`${INFRARED} stopped`]: 50n };
      for (const [block, left, stray] of [
        [2, { [`${REWARD_VAULT} stopped`]: 60n, [`${VAULT} stopped`]: 40n }, {}],
        [4, { [`${REWARD_VAULT} stopped`]: 130n, ...both }, { [`${VAULT} stray`]: 120n }],
        [HEAD, { [`${REWARD_VAULT} stopped`]: 130n, ...both }, {}],
      ] as const) {
        const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, block);
        expect(unattributed).toEqual(isUnknown(block) ? left : stray);
        expect(accounts[ALICE]).toEqual({ balance: 9_900n, ...(isUnknown(block) ? {} : { external_vaults: 100n }) });
      }
    });

    it("is not taken from it in averages either, from the break on or, once it is final, all the time", async () => {
      const { body } = await open.gateway.get(`/balances/${ASSET}/time-weighted?fromBlock=3&toBlock=${HEAD}`);
      const left = body.unattributed as { contract: string; reason: string; amount: string }[];
      const stopped = left.flatMap(({ contract, reason, amount }) =>
        reason === "stopped" ? [[contract, amount]] : [],
      );
      // at two of the four blocks, or at all of them, of which the first has 60 in the reward vault
      expect(Object.fromEntries(stopped)).toEqual(
        finalized === HEAD
          ? { [VAULT]: "40", [REWARD_VAULT]: "112", [INFRARED]: "50" }
          : { [VAULT]: "20", [REWARD_VAULT]: "65", [INFRARED]: "25" },
      );
      expect(left.some(({ reason }) => reason === "stray")).toBe(finalized !== HEAD);
      const results = body.results as { account: string; averageRoundedDown: string }[];
      const ofAlice = results.find(({ account }) => account === ALICE)?.averageRoundedDown;
      expect(ofAlice).toBe(finalized === HEAD ? "9900" : "9950");
    });

    it("is missing by the word of every kind of answer, about all, about some and about one block as a range", async () => {
      for (const [block, holding] of [
        [2, [VAULT, REWARD_VAULT]],
        [4, [VAULT, REWARD_VAULT, INFRARED]],
        [HEAD, [VAULT, REWARD_VAULT, INFRARED]],
      ] as const) {
        const question = { token: ASSET, block, chainId: SCRIPT_CHAIN_ID, users: [BOB, CAROL] };
        await expectNamed(open.gateway, question, isUnknown(block) ? holding : []);
      }
    });

    it("is the same at one block, over that block alone and at several blocks", async () => {
      const atBlocks = await open.gateway.get(`/balances/${ASSET}/at-blocks?blocks=2,4,${HEAD}`);
      expect(atBlocks.headers.get("x-incomplete")).toBe([VAULT, REWARD_VAULT, INFRARED].join());
      for (const block of [2, 4, HEAD]) {
        const { accounts, unattributed } = await shownBalances(open.gateway, ASSET, block);
        const totals = Object.entries(accounts).map(([account, sources]) => [
          account,
          Object.values(sources).reduce((sum, amount) => sum + amount, 0n),
        ]);
        const { averages, left } = await averagesOver(block);
        expect({ averages, left }).toEqual({ averages: totals, left: unattributed });
        const some = await averagesOver(block, `&users=${ALICE},${BOB}`);
        expect(Object.fromEntries(some.averages)).toEqual(Object.fromEntries(totals));
        const together = atBlocks.body[block] as Record<string, number>;
        expect(Object.keys(together)).toEqual(totals.map(([account]) => account));
      }
    });

    it("is not known where averages take it from either, at any block", async () => {
      const assets = [
        tokenAsset(ASSET as Address),
        ...[VAULT, REWARD_VAULT, INFRARED].map((one) => stakeAsset(one as Address)),
      ];
      const blocks = Array.from({ length: HEAD }, (_, i) => i + 1);
      const compared = await withinRequest(open.gateway.service, (context) =>
        compareIssued(context, { from: 1, to: HEAD, blocks, assets }),
      );
      expect(compared).toBeGreaterThan(10);
    });

    it("is not compared with the contract, whose word would be another", async () => {
      for (const block of [2, 4, HEAD]) {
        const { vaults } = await inRequest(open.gateway.service, (scope) =>
          scope.run(servedVaults, blockNumbered(block)),
        );
        const stopped = vaults.flatMap(({ address, isStopped }) => (isStopped ? [address] : []));
        expect(stopped.toSorted()).toEqual(isUnknown(block) ? [VAULT, REWARD_VAULT, INFRARED] : []);
      }
    });
  },
);
