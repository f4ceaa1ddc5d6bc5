// Every Transfer moves two balances (one for a mint or a burn) and appends a history row for each.
import { ponder } from "ponder:registry";
import { balance, history } from "ponder:schema";
import { zeroAddress } from "viem";

ponder.on("Erc20:Transfer", async ({ event, context }) => {
  const { from, to, amount } = event.args;
  if (from === to) return;
  const token = event.log.address;
  const at = { block: Number(event.block.number), logIndex: event.log.logIndex };
  for (const [account, delta] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    if (account === zeroAddress) continue;
    const row = await context.db
      .insert(balance)
      .values({ token, account, amount: delta })
      .onConflictDoUpdate((held) => ({ amount: held.amount + delta }));
    await context.db.insert(history).values({ token, account, ...at, balanceAfter: row.amount });
  }
});
