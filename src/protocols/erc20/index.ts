// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { onDeposit, onIssuedTransfer, onTransfer, onWithdrawal } from "./handlers.ts";

on("Erc20:Transfer", onTransfer);
on("Weth9:Deposit", onDeposit);
on("Weth9:Withdrawal", onWithdrawal);

on("PairShare:Transfer", onIssuedTransfer);
on("IslandShare:Transfer", onIssuedTransfer);
on("BaultShare:Transfer", onIssuedTransfer);
on("VaultShare:Transfer", onIssuedTransfer);
on("LaunchedToken:Transfer", onIssuedTransfer);
