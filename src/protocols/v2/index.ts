// Contents page: which event goes to which handler.
import { on } from "../../on.ts";
import { onBurn, onMint, onPairCreated, onSwap, onSync } from "./handlers.ts";

on("V2Factory:PairCreated", onPairCreated);

on("V2Pair:Swap", onSwap);
on("V2Pair:Mint", onMint);
on("V2Pair:Burn", onBurn);
on("V2Pair:Sync", onSync);
