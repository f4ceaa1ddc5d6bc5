// ERC-20 facts: one insert per event, no arithmetic. Approval is ignored: it moves nothing.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { erc20Transfer, weth9Deposit, weth9Withdrawal } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

type Transfer =
  | "Erc20:Transfer"
  | `${"PairShare" | "IslandShare" | "BaultShare" | "VaultShare" | "LaunchedToken"}:Transfer`;

export async function onTransfer({ event, context }: Args<Transfer>) {
  const { from, to, amount } = event.args;
  await context.db.insert(erc20Transfer).values({ ...placeOf(event), token: event.log.address, from, to, amount });
}

export async function onDeposit({ event, context }: Args<"Weth9:Deposit">) {
  const { account, amount } = event.args;
  await context.db.insert(weth9Deposit).values({ ...placeOf(event), token: event.log.address, account, amount });
}

export async function onWithdrawal({ event, context }: Args<"Weth9:Withdrawal">) {
  const { account, amount } = event.args;
  await context.db.insert(weth9Withdrawal).values({ ...placeOf(event), token: event.log.address, account, amount });
}
