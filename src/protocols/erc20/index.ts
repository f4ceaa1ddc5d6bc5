// Contents page: which event goes to which handler.
import { on, onShared } from "../../on.ts";
import { onDeposit, onTransfer, onWithdrawal } from "./handlers.ts";

onShared("Erc20:Transfer", onTransfer);
on("Weth9:Deposit", onDeposit);
on("Weth9:Withdrawal", onWithdrawal);

onShared("PairShare:Transfer", onTransfer);
onShared("IslandShare:Transfer", onTransfer);
onShared("BaultShare:Transfer", onTransfer);
onShared("VaultShare:Transfer", onTransfer);
onShared("LaunchedToken:Transfer", onTransfer);
