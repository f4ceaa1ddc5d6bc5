// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
import { onDeposit, onTransfer, onWithdrawal } from "./handlers.ts";

ponder.on("Erc20:Transfer", onTransfer);
ponder.on("Weth9:Deposit", onDeposit);
ponder.on("Weth9:Withdrawal", onWithdrawal);
