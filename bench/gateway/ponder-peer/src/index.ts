// Ponder wants a handler; its contract never logs.
import { ponder } from "ponder:registry";

ponder.on("Silent:Nothing", () => Promise.resolve());
