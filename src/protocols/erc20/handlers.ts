// ERC-20 facts: one insert per event, no arithmetic. Approval is ignored: it moves nothing.
import type { IndexingFunctionArgs } from "ponder:registry";
import { erc20Transfer, weth9Deposit, weth9Withdrawal } from "ponder:schema";

export async function onTransfer({ event, context }: IndexingFunctionArgs<"Erc20:Transfer">) {
  await context.db.insert(erc20Transfer).values({
    block: Number(event.block.number),
    logIndex: event.log.logIndex,
    txIndex: event.transaction.transactionIndex,
    timestamp: Number(event.block.timestamp),
    token: event.log.address,
    from: event.args.from,
    to: event.args.to,
    amount: event.args.amount,
  });
}

export async function onDeposit({ event, context }: IndexingFunctionArgs<"Weth9:Deposit">) {
  await context.db.insert(weth9Deposit).values({
    block: Number(event.block.number),
    logIndex: event.log.logIndex,
    txIndex: event.transaction.transactionIndex,
    timestamp: Number(event.block.timestamp),
    token: event.log.address,
    account: event.args.account,
    amount: event.args.amount,
  });
}

export async function onWithdrawal({ event, context }: IndexingFunctionArgs<"Weth9:Withdrawal">) {
  await context.db.insert(weth9Withdrawal).values({
    block: Number(event.block.number),
    logIndex: event.log.logIndex,
    txIndex: event.transaction.transactionIndex,
    timestamp: Number(event.block.timestamp),
    token: event.log.address,
    account: event.args.account,
    amount: event.args.amount,
  });
}
