// The command lines of the product's commands: how they are read, and what they say when they cannot be used.
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The command line cannot be used; the message is one line with the parameter's name and the way out. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** node's `parseArgs` of `args`. @throws UsageError naming the option, also for one that is given twice without being `multiple` */
export function readArguments<const Config extends Omit<ParseArgsConfig, "args" | "tokens">>(
  args: readonly string[],
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    const parsed = parseArgs<Config>({ ...config, args: [...args] });
    refuseRepeated(args, config);
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError((error instanceof Error ? error.message : String(error)).replaceAll("\n", " "));
  }
}

/** `parseArgs` would silently take the last of them. */
function refuseRepeated(args: readonly string[], config: Omit<ParseArgsConfig, "args">): void {
  const { tokens } = parseArgs({ ...config, args: [...args], tokens: true });
  const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
  const repeated = names.find((name, i) => names.indexOf(name) < i && config.options?.[name]?.multiple !== true);
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given twice: leave one of them out`);
}

/** The command's usage, in a line or more. */
interface Trial<Options extends ParseArgsOptionsConfig> {
  usage: string;
  options: Options;
  /** Options that must be numbers above zero, where they are given. */
  numbers?: readonly (keyof Options & string)[];
}

/** The options of a command that tries the product out. `--help` and wrong use print the usage and end the process, with 0 and with 2. */
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
