// One rule for all parts: a variable of the environment that is empty counts as unset (`PORT= npm start`).

/** Those of `env` that are set. */
export const setVariables = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (variable): variable is [string, string] => variable[1] !== undefined && variable[1] !== "",
    ),
  );
