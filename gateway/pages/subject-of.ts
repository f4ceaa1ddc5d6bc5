// What is at an address: which page is about it.
import { GatewayError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { Address } from "../parameters.ts";
import { launchAt } from "../questions/launches.ts";
import { poolAt } from "../questions/pools.ts";
import { tokenAt } from "../questions/tokens.ts";
import { vaultAt } from "../questions/vaults.ts";
import type { Subject } from "./place.ts";
import type { ViewRequest } from "./view.ts";

/** A pool that issues shares is shown as the pool, an island as the vault that it is. @throws what the questions throw */
export async function subjectOf(
  { ask }: Pick<ViewRequest, "ask">,
  { address, block }: { address: Address; block: BlockChoice },
): Promise<Subject> {
  if (await isPool(ask(poolAt, { pool: address, block }))) return "pool";
  const vault = await isThere(ask(vaultAt, { id: address, block, user: undefined }));
  if (vault) return vault.vault.provider === "v2" ? "pool" : "vault";
  const launch = await isThere(ask(launchAt, { address, block }));
  if (launch && launch.token.address !== address) return "pool";
  return (await isThere(ask(tokenAt, { token: address, block }))) ? "token" : "account";
}

/** Undefined where there is nothing. */
async function isThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return undefined;
    throw error;
  }
}

/** One whose state is unknown exists, too. */
async function isPool(answer: Promise<unknown>): Promise<boolean> {
  try {
    return (await isThere(answer)) !== undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "POOL_STOPPED") return true;
    throw error;
  }
}

/** What a page about it is called in a sentence. */
export const subjectNames: Readonly<Record<Subject, string>> = {
  token: "a token",
  account: "an account",
  pool: "a pool",
  vault: "a vault",
  launch: "a launch",
};
