// The command lines of the product's commands: how they are read, and what they say when they cannot be used.
import { type ParseArgsConfig, parseArgs } from "node:util";

/** The command line cannot be used; the message is one line with the parameter's name and the way out. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** node's `parseArgs` of `args`. @throws UsageError naming the option */
export function readArguments<const Config extends Omit<ParseArgsConfig, "args">>(
  args: readonly string[],
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs<Config>({ ...config, args: [...args] });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
