// Balances through v2 pairs: pro rata to the pair's own balance, with the shares that the first mint locks, and pairs of
// pairs; below and above the last final block.
import { describe, expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { shownBalances } from "../support/shown-balances.ts";

const [A, B] = [tokenOf(1), tokenOf(2)];
const [PAIR, OUTER] = [tokenOf(101), tokenOf(102)];
const [ALICE, BOB, TREASURY] = [accountOf(1), accountOf(2), accountOf(3)];
const FACTORY = accountOf(90);

const factory = { address: FACTORY, startBlock: 0 };
const chain = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, v2: { factory, router: accountOf(91) } });

/** Block 2: a pair with locked shares. 4: a gift to it. 6: fees become shares. 8: a pair over the pair's shares. */
function tellPairs(): Script {
  const script = new Script();
  for (const account of [ALICE, BOB]) for (const token of [A, B]) script.mint(token, account, 1_000_000n);
  const create = (pair: string, token0: string, token1: string) =>
    script.tell("v2_pair_created", { factory: FACTORY, pair, token0, token1, ordinal: "1" });
  script.nextBlock(); // 2
  create(PAIR, A, B);
  script.move(A, { from: ALICE, to: PAIR, amount: 100_000n });
  script.move(B, { from: ALICE, to: PAIR, amount: 100_000n });
  script.mint(PAIR, ZERO, 1_000n);
  script.mint(PAIR, ALICE, 99_000n);
  script.nextBlock(); // 3
  script.move(A, { from: BOB, to: PAIR, amount: 50_000n });
  script.move(B, { from: BOB, to: PAIR, amount: 50_000n });
  script.mint(PAIR, BOB, 50_000n);
  script.nextBlock(); // 4: a gift, and the pair's own shares sent to it
  script.move(A, { from: BOB, to: PAIR, amount: 7n });
  script.move(PAIR, { from: ALICE, to: PAIR, amount: 3n });
  script.nextBlock(); // 5
  script.nextBlock(); // 6
  script.mint(PAIR, TREASURY, 10n);
  script.nextBlock(); // 7
  script.nextBlock(); // 8
  create(OUTER, PAIR, B);
  script.move(PAIR, { from: BOB, to: OUTER, amount: 20_000n });
  script.move(B, { from: BOB, to: OUTER, amount: 5_000n });
  script.mint(OUTER, ZERO, 1_000n);
  script.mint(OUTER, BOB, 9_000n);
  script.nextBlock();
  return script;
}

const open = scriptedGateway(chain);

describe("balances through v2 pairs", () => {
  it.each([9, 7, 3, 1])("are parts of the pair's own balance (final up to %i)", async (finalized) => {
    const index = { ponderSchema: `facts_v2_${finalized}`, foldSchema: `fold_v2_${finalized}`, finalized };
    await buildScripted(open.database.sql, tellPairs(), index);
    const pool = `v2-pool ${PAIR}`;

    expect(await shownBalances(open.gateway, A, 1)).toEqual({
      accounts: { [ALICE]: { balance: 1_000_000n }, [BOB]: { balance: 1_000_000n } },
      unattributed: {},
    });
    expect(await shownBalances(open.gateway, A, 2)).toEqual({
      accounts: { [ALICE]: { balance: 900_000n, [pool]: 99_000n }, [BOB]: { balance: 1_000_000n } },
      unattributed: { [`${ZERO} zero-address`]: 1_000n },
    });
    expect(await shownBalances(open.gateway, A, 3)).toEqual({
      accounts: { [ALICE]: { balance: 900_000n, [pool]: 99_000n }, [BOB]: { balance: 950_000n, [pool]: 50_000n } },
      unattributed: { [`${ZERO} zero-address`]: 1_000n },
    });
    // floor(98,997 × 150,007 / 150,000), and so on
    expect(await shownBalances(open.gateway, A, 5)).toEqual({
      accounts: { [ALICE]: { balance: 900_000n, [pool]: 99_001n }, [BOB]: { balance: 949_993n, [pool]: 50_002n } },
      unattributed: { [`${ZERO} zero-address`]: 1_000n, [`${PAIR} stray`]: 3n, [`${PAIR} rounding`]: 1n },
    });
    expect(await shownBalances(open.gateway, PAIR, 5)).toEqual({
      accounts: { [ALICE]: { balance: 98_997n }, [BOB]: { balance: 50_000n } },
      unattributed: { [`${ZERO} zero-address`]: 1_000n, [`${PAIR} stray`]: 3n },
    });
    expect((await shownBalances(open.gateway, A, 7)).accounts[TREASURY]).toEqual({ [pool]: 9n });

    // 20,000 of the pair's shares belong to the holders of the other pair's 10,000
    const nested = await shownBalances(open.gateway, B, 9);
    expect(nested.accounts[BOB]).toEqual({
      balance: 945_000n,
      [pool]: (30_000n * 150_000n) / 150_010n,
      [`v2-pool ${OUTER}`]: 4_500n + (20_000n * 150_000n * 9n) / 1_500_100n,
    });
    expect(nested.unattributed[`${ZERO} zero-address`]).toBe(
      500n + (1_000n * 150_000n) / 150_010n + (20_000n * 150_000n) / 1_500_100n,
    );
    expect((await shownBalances(open.gateway, PAIR, 9)).accounts[BOB]).toEqual({
      balance: 30_000n,
      [`v2-pool ${OUTER}`]: 18_000n,
    });
    for (const token of [A, B, PAIR, OUTER])
      for (let block = 1; block <= 9; block++)
        if (token !== OUTER || block >= 8) await shownBalances(open.gateway, token, block);
  });
});
