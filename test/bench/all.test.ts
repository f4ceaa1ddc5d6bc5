// `npm run bench -- all --smallest`: whatever is wrong with one benchmark is named, and keeps no other from running.
import { expect, it } from "vitest";
import { type Outcome, runAll } from "../../bench/all.ts";

const none = {};

it("the run names a benchmark that ends with an error, with what it printed, and runs all others", async () => {
  const reported: Outcome[] = [];
  const runOne = async (name: string) =>
    name === "wrong" ? { code: 1, output: "tidemark is wrong at block 7\n" } : { code: 0, output: "" };
  const benches = { first: none, wrong: none, third: none, fourth: none };
  const outcomes = await runAll(benches, { runOne, tell: (outcome) => reported.push(outcome) });
  expect(outcomes.map(({ name, failure }) => [name, failure])).toEqual([
    ["first", undefined],
    ["wrong", "ended with 1:\ntidemark is wrong at block 7"],
    ["third", undefined],
    ["fourth", undefined],
  ]);
  expect(reported).toEqual(outcomes);
});

it("the run names a benchmark that a signal ended, and one whose peers cannot be installed, which is not even begun", async () => {
  const begun: string[] = [];
  const runOne = async (name: string) => {
    begun.push(name);
    return { code: null, output: "it was ended after 240 s" };
  };
  const prepare = () => Promise.reject(new Error("peer@1 could not be installed: npm ended with 1"));
  const outcomes = await runAll({ hangs: none, peerless: { prepare } }, { runOne, tell: () => {} });
  expect(Object.fromEntries(outcomes.map(({ name, failure }) => [name, failure]))).toEqual({
    hangs: "ended with a signal:\nit was ended after 240 s",
    peerless: "peer@1 could not be installed: npm ended with 1",
  });
  expect(begun).toEqual(["hangs"]);
});

it("the run has two benchmarks at a time, and installs one after the other beside them", async () => {
  let [running, most, installing, mostInstalling] = [0, 0, 0, 0];
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const runOne = async () => {
    most = Math.max(most, ++running);
    await pause();
    running--;
    return { code: 0, output: "" };
  };
  const prepare = async () => {
    mostInstalling = Math.max(mostInstalling, ++installing);
    await pause();
    installing--;
  };
  const benches = { a: none, b: none, c: none, d: { prepare }, e: { prepare }, f: { prepare } };
  const outcomes = await runAll(benches, { runOne, tell: () => {} });
  expect([outcomes.length, most, mostInstalling]).toEqual([6, 2, 1]);
});
