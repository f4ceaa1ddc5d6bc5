// What the product refuses for a moment is asked again by verify, as it comes from the database: in process nothing renames it.
import { describe, expect, it } from "vitest";
import type { Service } from "../../gateway/context.ts";
import { InvalidInputError, UnavailableError } from "../../gateway/errors.ts";
import { inRequest } from "../../verify/in-request.ts";

const coded = (code: string): Error => Object.assign(new Error(`the driver says ${code}`), { code });

/** Fails once with `error`; resolves to how often it ran. */
async function timesUntilAnswered(error: Error): Promise<number> {
  let times = 0;
  return inRequest({} as Service, async () => {
    times += 1;
    if (times === 1) throw error;
    return times;
  });
}

describe("a question of verify", () => {
  it.concurrent.each([
    ["a statement that took too long", coded("57014")],
    ["a lost connection", coded("CONNECTION_CLOSED")],
    ["a database that starts", coded("57P03")],
    ["a lost lock", coded("55P03")],
    ["a refusal of the product's own", new UnavailableError("OVERLOADED", "busy")],
  ])("is asked again after %s", async (_, error) => {
    expect(await timesUntilAnswered(error)).toBe(2);
  });

  it.each([
    ["what is wrong with the question", new InvalidInputError("--block", "must be a number")],
    ["a block that is not there yet", new UnavailableError("CATCHING_UP", "later")],
    ["a fault of our own", new Error("undefined is not a function")],
  ])("is not asked again after %s", async (_, error) => {
    await expect(timesUntilAnswered(error)).rejects.toBe(error);
  });
});
