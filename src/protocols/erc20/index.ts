// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
import { onDeposit, onIssuedTransfer, onTransfer, onWithdrawal } from "./handlers.ts";

ponder.on("Erc20:Transfer", onTransfer);
ponder.on("Weth9:Deposit", onDeposit);
ponder.on("Weth9:Withdrawal", onWithdrawal);

ponder.on("PairShare:Transfer", onIssuedTransfer);
ponder.on("IslandShare:Transfer", onIssuedTransfer);
ponder.on("BaultShare:Transfer", onIssuedTransfer);
ponder.on("VaultShare:Transfer", onIssuedTransfer);
ponder.on("LaunchedToken:Transfer", onIssuedTransfer);
