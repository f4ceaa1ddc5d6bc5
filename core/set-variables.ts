// Commands whose settings are variables. One rule for all: a variable that is empty, or blank, counts as unset (`PORT= npm start`).

/** Those of `env` that are set. */
export const setVariables = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (variable): variable is [string, string] => variable[1] !== undefined && variable[1].trim() !== "",
    ),
  );

/** One line on what is wrong with a variable of `set`, and the way out. A required one that is not set is one that `npm start` sets. */
export function settingComplaint(
  issue: { path: readonly PropertyKey[]; message: string } | undefined,
  set: Readonly<Record<string, string>>,
): string {
  const name = String(issue?.path[0]);
  if (set[name] === undefined) return `${name} is not set. See .env.example; \`npm start\` sets it by itself.`;
  return `${name}: ${issue?.message}. See .env.example.`;
}

/** What such a command would ignore may be meant to change what it does. @throws Error */
export function refuseArguments([first]: readonly string[]): void {
  if (first !== undefined)
    throw new Error(`"${first}": this command takes no arguments; its settings are variables, see .env.example`);
}
