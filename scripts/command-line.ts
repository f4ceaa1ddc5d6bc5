// The command lines of the product's commands: how they are read, and what they say when they cannot be used.
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from "node:util";

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
    throw new UsageError((error instanceof Error ? error.message : String(error)).replaceAll("\n", " "));
  }
}

/** The command's usage, in a line or more. */
interface Trial<Options extends ParseArgsOptionsConfig> {
  usage: string;
  options: Options;
  /** Options that must be numbers above zero, where they are given. */
  numbers?: readonly (keyof Options & string)[];
}

/** Options as typed to a command that tries the product out. `--help` and wrong use say how it is used, and end the process: with 0, and with 2. */
export function trialOptions<const Options extends ParseArgsOptionsConfig>({
  usage,
  options,
  numbers = [],
}: Trial<Options>): ReturnType<typeof parseArgs<{ options: Options }>>["values"] {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const { values } = readArguments<{ options: Options }>(process.argv.slice(2), { options });
    const typed: Readonly<Record<string, unknown>> = values;
    for (const name of numbers) {
      const text = typed[name];
      if (text !== undefined && !(Number(text) > 0 && Number.isFinite(Number(text))))
        throw new UsageError(`--${name}: "${text}" is not a number above zero`);
    }
    return values;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}
