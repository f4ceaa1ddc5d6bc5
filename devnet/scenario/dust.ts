// Dust: a few wei of its own token sent to every vault, without a deposit, and bault shares sent back to the bault.
import type { Address } from "viem";
import type { ContractName } from "../compile/artifacts.ts";
import { sendShares, sharesOf } from "./shares.ts";
import { type Act, readView, type World } from "./world.ts";

/** By the beginning of the vaults' names on stage: the view that returns the token that the vault takes. */
const vaultKinds = {
  "reward vault ": { name: "RewardVault", call: "stakeToken" },
  "farm ": { name: "Farm", call: "stakingToken" },
  "infrared ": { name: "InfraredVault", call: "stakingToken" },
  "bault ": { name: "Bault", call: "asset" },
} as const satisfies Record<string, { name: ContractName; call: string }>;

/** Differs from one wei, so that an answer shows whether it is dust or rounding. */
const DUST = 3n;

/** The actor with most of `token`, if any has enough to send some. */
async function someHolder(world: World, token: Address): Promise<Address | undefined> {
  let most: { from: Address; held: bigint } | undefined;
  for (const from of world.actors) {
    const held = await sharesOf(world, token, from);
    if (held > (most?.held ?? 100n * DUST)) most = { from, held };
  }
  return most?.from;
}

async function leaveDust(world: World): Promise<void> {
  const holders = new Map<Address, Address | undefined>();
  for (const [name, vault] of world.stage.named) {
    const kind = Object.entries(vaultKinds).find(([prefix]) => name.startsWith(prefix))?.[1];
    if (kind === undefined) continue;
    const token = (await readView<Address>(world, { ...kind, to: vault })).toLowerCase() as Address;
    if (!holders.has(token)) holders.set(token, await someHolder(world, token));
    const from = holders.get(token);
    if (from !== undefined) sendShares(world, { token, from, to: vault, amount: DUST });
  }
}

async function sendBaultSharesHome(world: World): Promise<void> {
  for (const [name, bault] of world.stage.named) {
    if (!name.startsWith("bault ")) continue;
    const from = await someHolder(world, bault);
    if (from !== undefined)
      sendShares(world, { token: bault, from, to: bault, amount: (await sharesOf(world, bault, from)) / 10n });
  }
}

export const dustActs: readonly Act[] = [
  { name: "dust in every vault", first: 1_420, run: leaveDust },
  { name: "bault shares sent home", first: 1_424, run: sendBaultSharesHome },
];
