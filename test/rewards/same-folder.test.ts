// Two runs of `npm run rewards` that write one folder at the same time.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Manifest, sha256 } from "../../rewards/manifest.ts";
import { accountOf } from "../support/reference-ledger.ts";

const MAIN = fileURLToPath(new URL("../../rewards/main.ts", import.meta.url));
const row = { averageRoundedDown: "1", points: "1", shareRoundedDown: "0.001", amount: "7" };
const answer = JSON.stringify({
  results: Array.from({ length: 600 }, (_, i) => ({ account: accountOf(i + 1), ...row })),
  campaign: { chainId: 1, reward: { budget: "4200" } },
  ...{ from: { number: 1, hash: null }, to: { number: 2, hash: null }, isFinal: true, sum: "4200", incomplete: [] },
});

/** Of both runs, once the second asks too: so they begin to write at the same time. */
const waiting: (() => void)[] = [];
const server = createServer((_, response) => {
  waiting.push(() => response.end(answer));
  if (waiting.length === 2) for (const send of waiting) send();
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

it("leave there what one of them wrote, whole, and the other says that it could not", async () => {
  const out = join(folder, "round-1");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["--no-warnings", MAIN, "--campaign", join(folder, "campaign.json"), "--out", out, "--url", url];
  const run = () =>
    new Promise<boolean>((resolve) => {
      execFile(process.execPath, args, (error) => resolve(error === null));
    });
  expect((await Promise.all([run(), run()])).filter(Boolean)).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(["campaign.json", "round-1"]);
  const { sha256: sums } = JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")) as Manifest;
  const found = Object.keys(sums).map((name) => [name, sha256(readFileSync(join(out, name), "utf8"))]);
  expect(Object.fromEntries(found)).toEqual(sums);
}, 60_000);
