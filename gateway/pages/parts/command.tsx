// Commands that a page names. Those that read one chain read the first that is served, unless CHAIN names another.
import { createContext, useContext } from "hono/jsx";

/** What stands before a command, for the page's chain. */
export const CommandPrefix = createContext("");

/** `npm run verify -- --all`, for the page's chain. */
export const Command = ({ run }: { run: string }) => (
  <code class="command">{`${useContext(CommandPrefix)}npm run ${run}`}</code>
);
