// Contents page: which event goes to which handler.
import { ponder } from "ponder:registry";
import { onBurn, onMint, onPairCreated, onSwap, onSync } from "./handlers.ts";

ponder.on("V2Factory:PairCreated", onPairCreated);

ponder.on("V2Pair:Swap", onSwap);
ponder.on("V2Pair:Mint", onMint);
ponder.on("V2Pair:Burn", onBurn);
ponder.on("V2Pair:Sync", onSync);
