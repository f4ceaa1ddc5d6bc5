// What stands behind shares and stakes whose own ledger is impossible from block 4 on: numbers worked out by hand, with the break
// above the last final block, and below it.
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { SqlAccess } from "../../gateway/sql/sql-access.ts";
import { createSqlServer } from "../../sql/server.ts";
import { accountAnswer } from "../support/account-equality.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { expectNamed } from "../support/named-incomplete.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";
import { openTestSql } from "../support/sql-engine.ts";

/** The vault, the pair and the reward vault break; the farm does not. */
const [TOKEN, OTHER, VAULT, PAIR, REWARD_VAULT, FARM] = [1, 2, 101, 102, 103, 104].map(tokenOf) as [
  ...[string, string, string, string, string, string],
];
const [ALICE, BOB, CAROL, DAVE, FACTORY, ROUTER] = [1, 2, 3, 4, 70, 71].map(accountOf) as [
  ...[string, string, string, string, string, string],
];
const place = (address: string) => ({ address, startBlock: 0 });

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: place(FACTORY), router: ROUTER },
  rewardVaults: { factory: place(FACTORY) },
  farms: { factory: place(FACTORY) },
  externalVaults: [{ ...place(VAULT), kind: "erc4626", asset: TOKEN }],
});

const AT = { sound: 3, broken: 4, late: 5, out: 6, head: 7 } as const;
/** What each holds of the token at the end of a block. */
const HELD: Readonly<Record<number, { vault: bigint; pair: bigint; rewardVault: bigint }>> = {
  [AT.sound]: { vault: 2_000n, pair: 900n, rewardVault: 800n },
  [AT.broken]: { vault: 2_000n, pair: 900n, rewardVault: 800n },
  [AT.late]: { vault: 2_400n, pair: 900n, rewardVault: 900n },
  [AT.out]: { vault: 1_400n, pair: 900n, rewardVault: 900n },
  [AT.head]: { vault: 1_400n, pair: 900n, rewardVault: 900n },
};

function tellBreaks(): Script {
  const script = new Script();
  const stakes = (vault: string, protocol: string, by: { kind?: string; account: string; amount: bigint }): void =>
    script.tell("stake", { vault, protocol, kind: "stake", delegate: null, ...by, amount: `${by.amount}` });
  const puts = (account: string, vault: string, amount: bigint) =>
    script.move(TOKEN, { from: account, to: vault, amount });
  for (const account of [ALICE, BOB, CAROL]) script.mint(TOKEN, account, 10_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: TOKEN, token1: OTHER, ordinal: 1 });
  script.tell("vault_created", { factory: FACTORY, vault: REWARD_VAULT, kind: "reward-vault", asset: TOKEN });
  script.tell("vault_created", { factory: FACTORY, vault: FARM, kind: "farm", asset: null });
  script.nextBlock(); // 2
  for (const account of [ALICE, BOB]) {
    puts(account, VAULT, 1_000n);
    script.mint(VAULT, account, 1_000n);
  }
  puts(BOB, PAIR, 900n);
  script.mint(PAIR, BOB, 90n);
  script.nextTransaction();
  puts(CAROL, FARM, 70n);
  stakes(FARM, "farm", { account: CAROL, amount: 70n });
  script.nextBlock(); // 3
  for (const [account, amount] of [
    [ALICE, 500n],
    [BOB, 300n],
  ] as const) {
    puts(account, REWARD_VAULT, amount);
    stakes(REWARD_VAULT, "reward-vault", { account, amount });
  }
  script.nextBlock(); // 4: shares and stakes go that were not there
  script.move(VAULT, { from: ALICE, to: BOB, amount: 5_000n });
  script.move(PAIR, { from: CAROL, to: ALICE, amount: 1n });
  stakes(REWARD_VAULT, "reward-vault", { kind: "withdraw", account: BOB, amount: 900n });
  script.nextBlock(); // 5: Carol comes
  puts(CAROL, VAULT, 400n);
  script.mint(VAULT, CAROL, 400n);
  puts(CAROL, REWARD_VAULT, 100n);
  stakes(REWARD_VAULT, "reward-vault", { account: CAROL, amount: 100n });
  script.nextBlock(); // 6: Alice goes
  script.move(VAULT, { from: ALICE, to: ZERO, amount: 1_000n });
  script.move(TOKEN, { from: VAULT, to: ALICE, amount: 1_000n });
  const way = { sender: ALICE, receiver: ALICE, owner: ALICE, assets: "1000", shares: "1000" };
  script.tell("vault_flow", { vault: VAULT, kind: "withdraw", ...way });
  script.nextBlock();
  return script;
}

const open = scriptedGateway(chain);
const BROKEN = [VAULT, PAIR, REWARD_VAULT];

describe.each([1, AT.sound, AT.late, AT.head])("what stands behind a broken ledger (final up to %i)", (finalized) => {
  const isBroken = (block: number) => Math.max(block, finalized) >= AT.broken;
  const blocks = [AT.sound, AT.broken, AT.late, AT.out, AT.head];

  beforeAll(async () => {
    const names = { ponderSchema: `facts_breaks_${finalized}`, foldSchema: `fold_breaks_${finalized}` };
    await buildScripted(open.database.sql, tellBreaks(), { ...names, finalized, chain });
    return () => dropIndex(open.database.sql, names);
  });

  it("is nobody's and named as stopped, at each block at which it is not known who has it", async () => {
    for (const block of blocks) {
      const { unattributed } = await shownBalances(open.gateway, TOKEN, block);
      const { vault, pair, rewardVault } = HELD[block] as (typeof HELD)[number];
      const stopped = {
        ...{ [`${VAULT} stopped`]: vault, [`${PAIR} stopped`]: pair },
        [`${REWARD_VAULT} stopped`]: rewardVault,
      };
      expect({ block, unattributed }).toEqual({ block, unattributed: isBroken(block) ? stopped : {} });
    }
  });

  it("is named by every kind of answer, about all and about some", async () => {
    for (const block of blocks) {
      const question = { token: TOKEN, block, chainId: SCRIPT_CHAIN_ID, users: [CAROL, DAVE] };
      await expectNamed(open.gateway, question, isBroken(block) ? BROKEN : []);
    }
  });

  it("is named of several blocks together, and at each", async () => {
    const { headers } = await open.gateway.get(`/balances/${TOKEN}/at-blocks?blocks=${blocks}`);
    expect(headers.get("x-incomplete")).toBe(BROKEN.join(","));
    const { balancesAtBlocks } = await open.gateway.data<{ balancesAtBlocks: { incomplete: string[] }[] }>(
      `{ balancesAtBlocks(token: "${TOKEN}", blocks: [${blocks}], users: ["${DAVE}"]) { incomplete } }`,
    );
    const expected = blocks.map((block) => (isBroken(block) ? BROKEN : []));
    expect(balancesAtBlocks.map(({ incomplete }) => incomplete)).toEqual(expected);
  });

  it("is not taken from what accounts have elsewhere", async () => {
    for (const block of [AT.broken, AT.head]) {
      const { accounts } = await shownBalances(open.gateway, TOKEN, block);
      const late = block === AT.head;
      expect(accounts).toEqual({
        [ALICE]: { balance: late ? 9_500n : 8_500n },
        [BOB]: { balance: 7_800n },
        [CAROL]: { balance: late ? 9_430n : 9_930n, [`farm ${FARM}`]: 70n },
      });
    }
  });

  it("belongs to those who had it at the block before, until the break is final", async () => {
    const { accounts } = await shownBalances(open.gateway, TOKEN, AT.sound);
    const { balance: _, ...others } = accounts[ALICE] ?? {};
    const known = { external_vaults: 1_000n, [`reward_vault ${REWARD_VAULT}`]: 500n };
    expect(others).toEqual(isBroken(AT.sound) ? {} : known);
  });

  it.each([ALICE, CAROL, DAVE])("is named to every account, as any may have a part of it: %s", async (account) => {
    for (const block of blocks) {
      const { incomplete } = await accountAnswer(open.gateway, { account, block });
      expect({ block, incomplete }).toEqual({ block, incomplete: isBroken(block) ? BROKEN : [] });
    }
  });

  it("leaves an account what it has elsewhere", async () => {
    for (const [block, total] of [
      [AT.broken, "10000"],
      [AT.head, "9500"],
    ] as const) {
      const { tokens } = await accountAnswer(open.gateway, { account: CAROL, block });
      expect({ block, total: tokens.get(TOKEN)?.total }).toEqual({ block, total });
    }
  });

  it("is nobody's in averages, from the break on or, once it is final, all the time", async () => {
    const range = `fromBlock=${AT.sound}&toBlock=${AT.out}`;
    const { body, headers } = await open.gateway.get(`/balances/${TOKEN}/time-weighted?${range}`);
    const left = body.unattributed as { contract: string; reason: string; amount: string }[];
    const isFinal = isBroken(AT.sound);
    expect(left.map(({ contract, reason, amount }) => [contract, reason, BigInt(amount)])).toEqual([
      [VAULT, "stopped", (2_000n + 2_400n + 1_400n + (isFinal ? 2_000n : 0n)) / 4n],
      [PAIR, "stopped", (3n * 900n + (isFinal ? 900n : 0n)) / 4n],
      [REWARD_VAULT, "stopped", (800n + 900n + 900n + (isFinal ? 800n : 0n)) / 4n],
    ]);
    expect(body.rounding).toBe("0");
    const ofAlice = await open.gateway.get(`/balances/${TOKEN}/time-weighted?${range}&users=${ALICE}`);
    const named = [headers, ofAlice.headers].map((one) => one.get("x-incomplete"));
    expect(named).toEqual([BROKEN.join(","), BROKEN.join(",")]);
    for (const { results } of [body, ofAlice.body] as { results: { account: string; averageRoundedDown: string }[] }[])
      expect(results.find(({ account }) => account === ALICE)?.averageRoundedDown).toBe(
        String((8_500n * 3n + 9_500n + (isFinal ? 0n : 1_500n)) / 4n),
      );
  });

  it("is left out by look_through() of SQL too, whose answer names all of them", async () => {
    const { database, gateway } = open;
    const lakeFolder = mkdtempSync(join(tmpdir(), "tidemark-no-lake-"));
    const place = { databaseUrl: database.url, chainId: SCRIPT_CHAIN_ID, lakeFolder };
    const sql = await openTestSql({ ...place, service: gateway.service });
    const { server } = createSqlServer(sql.runner, { log: pino({ level: "silent" }), onFatal: () => {} });
    try {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const access = new SqlAccess(new Map([[SCRIPT_CHAIN_ID, url]]));
      for (const block of blocks) {
        const query = `select account from look_through('${TOKEN}', ${block})`;
        const request = { chainId: SCRIPT_CHAIN_ID, query, format: "json", client: "" };
        const { headers, body } = await access.answer({ ...request, signal: new AbortController().signal });
        await body.cancel();
        expect([block, headers["x-incomplete"]]).toEqual([block, isBroken(block) ? BROKEN.join(",") : undefined]);
      }
    } finally {
      server.closeAllConnections();
      server.close();
      await sql.close();
      rmSync(lakeFolder, { recursive: true });
    }
  });

  it("is refused where it is asked who has the shares themselves", async () => {
    for (const block of blocks) {
      const { status, body } = await open.gateway.get(`/balances/${VAULT}?blockNumber=${block}`);
      expect([block, status]).toEqual([block, isBroken(block) ? 409 : 200]);
      if (status === 409) expect(body).toMatchObject({ error: { code: "TOKEN_NOT_STANDARD" } });
    }
  });
});
