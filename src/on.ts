// Which event goes to which handler, where the chain has the source of the event.
import { ponder } from "ponder:registry";
import config from "../ponder.config.ts";

/** As `ponder.on`, which refuses names of sources that are not configured. */
export const on: typeof ponder.on = (name, handler) => {
  const [source = ""] = name.split(":");
  if (source in config.contracts) ponder.on(name, handler);
};
