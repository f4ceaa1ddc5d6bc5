// Two runs of `npm run rewards` that write one folder at the same time.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Manifest, sha256 } from "../../rewards/manifest.ts";
import { accountOf } from "../support/reference-ledger.ts";

const MAIN = fileURLToPath(new URL("../../rewards/main.ts", import.meta.url));
const row = { averageRoundedDown: "1", points: "1", shareRoundedDown: "0.001", amount: "7" };
const given = {
  results: Array.from({ length: 600 }, (_, i) => ({ account: accountOf(i + 1), ...row })),
  campaign: { chainId: 1, reward: { budget: "4200" } },
  ...{ from: { number: 1, hash: null }, to: { number: 2, hash: null }, isFinal: true, sum: "4200", incomplete: [] },
};
/** No contract takes so much. */
const tooMuch = { ...given, results: [{ account: accountOf(1), ...row, amount: String(1n << 256n) }] };

/** Sent to all runs once as many ask: so they begin to write at the same time. */
let answers: object[] = [];
const waiting: ServerResponse[] = [];
const server = createServer((_, response) => {
  waiting.push(response);
  if (waiting.length < answers.length) return;
  for (const [i, one] of waiting.splice(0).entries()) one.end(JSON.stringify(answers[i]));
});
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-same-folder-"));
  writeFileSync(join(folder, "campaign.json"), "{}");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What each says of its error, empty where it ends well. */
async function runTo(out: string, sent: object[]): Promise<string[]> {
  answers = sent;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["--no-warnings", MAIN, "--campaign", join(folder, "campaign.json"), "--out", out, "--url", url];
  const run = () =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, args, (error, _, said) => resolve(error === null ? "" : said));
    });
  return Promise.all(sent.map(run));
}

it("leave there what one of them wrote, whole, and the other says that it could not", async () => {
  const out = join(folder, "round-1");
  const said = await runTo(out, [given, given]);
  expect(said.sort()).toEqual([
    "",
    expect.stringContaining(`--out: ${out} exists by now, as another run has written it`),
  ]);
  expect(readdirSync(folder).sort()).toEqual(["campaign.json", "round-1"]);
  const { sha256: sums } = JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")) as Manifest;
  const found = Object.keys(sums).map((name) => [name, sha256(readFileSync(join(out, name), "utf8"))]);
  expect(Object.fromEntries(found)).toEqual(sums);
});

it("are left alone by one that fails", async () => {
  const partial = join(folder, "round-2.partial");
  mkdirSync(join(partial, "of-another-run"), { recursive: true });
  expect(await runTo(join(folder, "round-2"), [tooMuch])).toEqual([expect.not.stringMatching(/^$/)]);
  expect(readdirSync(partial)).toEqual(["of-another-run"]);
});
