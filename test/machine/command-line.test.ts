// How options are read that every command of the product takes.
import { expect, it } from "vitest";
import { readArguments, UsageError } from "../../machine/command-line.ts";

const options = {
  block: { type: "string" },
  json: { type: "boolean" },
  token: { type: "string", multiple: true },
} as const;

it("a command refuses an option that is given twice, whichever way it is written", () => {
  for (const argv of [
    ["--block", "1", "--block", "2"],
    ["--block=1", "--block=1"],
    ["--json", "--json"],
  ])
    expect(() => readArguments(argv, { options })).toThrow(
      new UsageError(`--${argv[0]?.slice(2).split("=")[0]} is given twice: leave one of them out`),
    );
});

it("a command reads an option that may be given several times, and names in one line what it does not know", () => {
  const { values } = readArguments(["--token", "a", "--block", "1", "--token", "b"], { options });
  expect(values).toEqual({ token: ["a", "b"], block: "1" });
  expect(() => readArguments(["--nonsense"], { options })).toThrow(/^Unknown option '--nonsense'[^\n]*$/);
});
