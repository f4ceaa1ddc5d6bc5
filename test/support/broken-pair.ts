// A v2 pair of a token whose ledger is going to break, written as Ponder would write it.
import { accountOf } from "./reference-ledger.ts";
import type { Script } from "./scripted-index.ts";

const E18 = 10n ** 18n;
const [ALICE, BOB] = [accountOf(1), accountOf(2)];

/** Of 10,000 of `stable` and 5,000 of `token`; one account has all 1,000 shares. */
export function tellPair(
  script: Script,
  { factory, pair, stable, token }: Record<"factory" | "pair" | "stable" | "token", string>,
): void {
  script.nextTransaction();
  script.tell("v2_pair_created", { factory, pair, token0: stable, token1: token, ordinal: "1" });
  script.mint(stable, pair, 10_000n * E18);
  script.mint(token, pair, 5_000n * E18);
  script.mint(pair, ALICE, 1_000n * E18);
  const [reserve0, reserve1] = [`${10_000n * E18}`, `${5_000n * E18}`];
  script.tell("v2_sync", { pair, reserve0, reserve1 });
}

/** An account that has nothing spends something. */
export const breakLedger = (script: Script, token: string): void =>
  script.move(token, { from: BOB, to: ALICE, amount: 1n });
