// The seeded devnet pruned at 60 % of its chain by the product's own command, killed while it deletes, and every public question at blocks
// around: byte for byte as before, out of history that is loaded from the lake, or a named error; never what happens to be left.
import { once } from "node:events";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quoted } from "../../fold/tables.ts";
import type { FileEntry } from "../../lake/manifest.ts";
import type { HistoryLoader } from "../../lake/pruned/load-history.ts";
import { createLoadServer } from "../../lake/pruned/serve.ts";
import { freePort } from "../../machine/ports.ts";
import { sized } from "../support/sized.ts";
import { type Answers, type Ended, type OpenGateway, type PrunedGround, startPrunedGround } from "./pruned-ground.ts";
import { seeded } from "./seeded-index.ts";

const s = quoted(seeded.foldSchema);
const SHARE = 0.6;
const NOTHING_STAYS = { seconds: 0, rows: 0 };
/** A block that is pruned, and a question about it. */
const OLD = 40;
/** What `npm run lake -- --check` ends with where all that was wrong is right again. */
const MENDED = 3;
const PRUNING_KILLS = sized({ some: 2, whole: 3 });
const LOADING_KILLS_MS = sized({ some: [200, 600], whole: [100, 300, 500, 700, 900] });

let folder: string;
let ground: PrunedGround;
let server: Server;
let loader: HistoryLoader;
/** The first block that PostgreSQL answers alone. */
let below: number;
let path: string;
/** Gateways: on the whole index; on the pruned one, with and without somebody who loads history. */
let whole: OpenGateway;
let loading: OpenGateway;
let alone: OpenGateway;
const before = new Map<number, Answers>();

const blocks = () => [
  ...[OLD, below - 1, below, seeded.head],
  ...sized({ some: [], whole: [Math.floor(below / 2), below + 1] }),
];
const pruneTo = (at: number): string[] => ["lake/pruned/main.ts", "--before", String(at)];
const prune = (at: number): Promise<Ended> => ground.run(pruneTo(at));

function firstDifference(text: string, then: string): string {
  if (text.includes("HISTORY_UNAVAILABLE")) return "HISTORY_UNAVAILABLE";
  let at = 0;
  while (text[at] === then[at]) at += 1;
  return `${text.slice(Math.max(at - 80, 0), at + 80)} BEFORE: ${then.slice(at, at + 80)}`;
}

/** What is not as before. */
async function differentAt(gateway: OpenGateway, block: number): Promise<string[]> {
  const expected = before.get(block);
  return [...(await gateway.ask(block))].flatMap(([name, text]) => {
    const then = String(expected?.get(name));
    return text === then ? [] : [`${block} ${name}: ${firstDifference(text, then)}`];
  });
}

const prunedNow = async (gateway: OpenGateway) => JSON.parse((await gateway.get("/status")).text).pruned;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-pruned-history-"));
  ground = await startPrunedGround();
  const at = Math.floor(SHARE * seeded.head);
  below = ground.lake.manifest.segments.filter(({ last }) => last <= at).at(-1)!.last;
  path = `/balances/${ground.world.token}?blockNumber=${OLD}`;
  loader = ground.loader({ seconds: 3_600, rows: 10_000_000 });
  const port = await freePort();
  server = createLoadServer(loader, () => {}).listen(port, "127.0.0.1");
  whole = ground.open(seeded.databaseUrl);
  alone = ground.open(seeded.prunedUrl);
  loading = ground.open(seeded.prunedUrl, `http://127.0.0.1:${port}`);
  for (const block of blocks()) before.set(block, await whole.ask(block));
});
afterAll(async () => {
  server?.close();
  await Promise.all([whole?.close(), alone?.close(), loading?.close()]);
  await ground?.close();
  rmSync(folder, { recursive: true, force: true });
});

const flip = (place: string, at: number): void => {
  const bytes = readFileSync(place);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(place, bytes);
};

type Damage = (place: string, file: FileEntry) => void;

const DAMAGES: readonly (readonly [string, Damage])[] = [
  ["cut off", (place, { bytes }) => truncateSync(place, bytes - 1)],
  ["changed", (place, { bytes }) => flip(place, Math.floor(bytes / 2))],
  ["missing", (place) => rmSync(place)],
];

/** Does it with the files as their damages leave them, and puts them back. */
async function whileDamaged(
  damaged: readonly (readonly [FileEntry, Damage])[],
  use: () => Promise<void>,
): Promise<void> {
  const files = damaged.map(([file, damage], i) => {
    const place = join(ground.lake.folder, file.path);
    return { file, damage, place, copy: join(folder, `copy-${i}.parquet`) };
  });
  for (const { place, copy } of files) copyFileSync(place, copy);
  for (const { file, damage, place } of files) damage(place, file);
  await use().finally(() => {
    for (const { place, copy } of files) copyFileSync(copy, place);
  });
}

const closedHoldings = (place: number): FileEntry =>
  ground.lake.manifest.segments[place]!.files.find(({ dataset }) => dataset === "holding_closed")!;

/** The first one of each dataset whose blocks are pruned. */
function prunedFilesOf(...datasets: string[]): FileEntry[] {
  const pruned = ground.lake.manifest.segments.filter(({ last }) => last < below).flatMap(({ files }) => files);
  return datasets.map((dataset) => pruned.find((one) => one.dataset === dataset)!);
}

describe("A devnet pruned at 60 % of its chain", () => {
  let rowsBefore: string;

  test("is not pruned to a lake with other rows, a damaged file or too few blocks", async () => {
    rowsBefore = await ground.digests();
    await whileDamaged([[closedHoldings(1), (place) => truncateSync(place, 100)]], async () =>
      expect(await prune(below)).toMatchObject({ code: 1, output: expect.stringContaining(closedHoldings(1).path) }),
    );
    const { first, last } = ground.lake.manifest.segments[1]!;
    const [row] = await ground.db.unsafe(`select asset, account, to_block from ${s}.holding_interval
      where to_block between ${first} and ${last} and asset <> 0 limit 1`);
    const addToRow = (amount: number) =>
      ground.db.unsafe(
        `update ${s}.holding_interval set amount = amount + ${amount} where asset = $1 and account = $2 and to_block = $3`,
        [row!.asset, row!.account, row!.to_block],
      );
    await addToRow(1);
    const refused =
      /holding_closed of blocks .* 1 rows of PostgreSQL are not in the lake, 1 of the lake not in PostgreSQL/;
    expect(await prune(below)).toMatchObject({ code: 1, output: expect.stringMatching(refused) });
    await addToRow(-1);
    expect(await prune(seeded.head + 1_000)).toMatchObject({
      code: 1,
      output: expect.stringContaining("the lake ends with block"),
    });
    expect(await ground.digests()).toBe(rowsBefore);
    expect(await ground.db`select * from tidemark.pruned`).toHaveLength(0);
  });

  test("is pruned however often the command is killed, and says up to where", async () => {
    const ended = await ground.countEnded(below);
    await ground.slowDown(0.15);
    for (let left = ended, kills = 0; kills < PRUNING_KILLS; kills += 1) {
      const child = ground.start(pruneTo(below));
      const closed = once(child, "close");
      while ((await ground.countEnded(below)) === left && child.exitCode === null) await sleep(20);
      child.kill("SIGKILL");
      await closed;
      // what it had sent is done all the same
      await sleep(500);
      const now = await ground.countEnded(below);
      expect([now > 0, now < left]).toEqual([true, true]);
      left = now;
      // some of what they ask lies further back
      const different = await differentAt(alone, below);
      expect(different.filter((text) => !text.includes("HISTORY_UNAVAILABLE"))).toEqual([]);
    }
    await ground.slowDown(0);
    const said = `blocks before ${below} are answered from the lake`;
    expect(await prune(below)).toMatchObject({ code: 0, output: expect.stringContaining(said) });
    expect([ended > 1_000, await ground.countEnded(below)]).toEqual([true, 0]);
    expect(await prune(below)).toMatchObject({
      code: 0,
      output: expect.stringContaining("0 segments pruned, 0 rows deleted"),
    });
  });

  test("answers every block from there on as before and no block below, where nobody loads history", async () => {
    expect(await prunedNow(alone)).toEqual({ below, loaded: [] });
    let refused = 0;
    for (const block of blocks()) {
      const different = await differentAt(alone, block);
      expect(different.filter((text) => !text.includes("HISTORY_UNAVAILABLE"))).toEqual([]);
      refused += different.length;
    }
    expect(refused).toBeGreaterThan(sized({ some: 40, whole: 80 }));
  });

  test("answers every question at every block byte for byte as before, out of the lake", async () => {
    const different: string[] = [];
    for (const block of blocks()) different.push(...(await differentAt(loading, block)));
    expect(different).toEqual([]);
    const pruned = await prunedNow(loading);
    expect(pruned.loaded).toHaveLength(ground.lake.manifest.segments.filter(({ last }) => last <= below).length);
    const query = encodeURIComponent("{ status { pruned { below loaded { first last rows since } } } }");
    const { data } = JSON.parse((await loading.get(`/graphql?query=${query}`)).text);
    expect(data.status.pruned).toEqual(pruned);
  });

  test("has the very rows again when all is loaded, puts them away, and keeps no more than it may", async () => {
    await loader.load({ first: 0, last: seeded.head });
    expect(await ground.digests()).toBe(rowsBefore);
    await ground.loader(NOTHING_STAYS).tidy();
    expect(await ground.countEnded(below)).toBe(0);
    const small = ground.loader({ seconds: 3_600, rows: 1 });
    const [first, second] = ground.lake.manifest.segments;
    await small.load({ first: first!.first, last: first!.first });
    await small.load({ first: second!.last - 1, last: second!.last - 1 });
    expect((await prunedNow(alone)).loaded).toMatchObject([{ first: second!.first - 1, last: second!.last - 1 }]);
    expect(await differentAt(loading, below - 1)).toEqual([]);
    await ground.loader(NOTHING_STAYS).tidy();
  });

  const loaders: number[] = [];

  /** Whether it was killed before it answered. */
  async function isKilledFirst(ms: number): Promise<boolean> {
    const port = await freePort();
    const through = ground.open(seeded.prunedUrl, `http://127.0.0.1:${port}`);
    const child = ground.start(["lake/main.ts", "--follow"], { LAKE_PORT: String(port) });
    const ended = once(child, "close");
    if (child.pid !== undefined) loaders.push(child.pid);
    try {
      for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
        const answer = through.get(path);
        await Promise.race([answer, sleep(ms)]);
        if (!(await isListening(port))) continue;
        child.kill("SIGKILL");
        const { status, text } = await answer;
        expect(status === 200 ? `200 ${text}` : status).toBe(status === 200 ? before.get(OLD)!.get(path) : 503);
        return status !== 200;
      }
      throw new Error("the lake's process does not listen");
    } finally {
      child.kill("SIGKILL");
      await ended;
      await through.close();
    }
  }

  test("is answered right however often the process that loads is killed", async () => {
    await ground.slowDown(0.2);
    let kills = 0;
    for (const ms of LOADING_KILLS_MS) {
      kills += (await isKilledFirst(ms)) ? 1 : 0;
      const { status, text } = await alone.get(path);
      if (status === 200) expect(`200 ${text}`).toBe(before.get(OLD)!.get(path));
      else expect(text).toContain("HISTORY_UNAVAILABLE");
      await ground.loader(NOTHING_STAYS).tidy();
    }
    const left = readdirSync(tmpdir()).filter((name) =>
      loaders.some((pid) => name.startsWith(`tidemark-load-${pid}-`)),
    );
    expect(left).toEqual([]);
    expect(kills).toBeGreaterThan(sized({ some: 0, whole: 1 }));
    await ground.slowDown(0);
    expect(await differentAt(loading, OLD)).toEqual([]);
    await ground.loader(NOTHING_STAYS).tidy();
    expect(await ground.countEnded(below)).toBe(0);
  });

  /** Until it is not said to be on its way any more. */
  async function answerOfOld() {
    for (;;) {
      const answer = await loading.get(path);
      if (!answer.text.includes("HISTORY_LOADING")) return answer;
    }
  }

  test.each(DAMAGES)("names a file that is %s, and answers when it is back", async (_, damage) => {
    const file = closedHoldings(0);
    await ground.loader(NOTHING_STAYS).tidy();
    await whileDamaged([[file, damage]], async () => {
      const { status, text, headers } = await answerOfOld();
      const { code, details } = JSON.parse(text).error;
      expect([status, code, details, headers.has("retry-after")]).toEqual([
        503,
        "HISTORY_DAMAGED",
        { path: file.path },
        true,
      ]);
    });
    expect(`200 ${(await answerOfOld()).text}`).toBe(before.get(OLD)!.get(path));
  });

  test("leaves files of pruned rows that are cut off, changed or missing as they are, and the check names each", async () => {
    await ground.loader(NOTHING_STAYS).tidy();
    const files = prunedFilesOf("holding_closed", "v3_tick_closed", "v3_position_closed");
    const damaged = DAMAGES.map(([, damage], place) => [files[place]!, damage] as const);
    await whileDamaged(damaged, async () => {
      const { code, output } = await ground.run(["lake/main.ts", "--check"]);
      const said = files.map(({ path }) => `${path} cannot be written again: its rows were pruned`);
      expect([code, said.filter((line) => !output.includes(line))]).toEqual([1, []]);
    });
  });

  test("is not needed to mend a file of transfers, of open islands or of blocks", async () => {
    const files = prunedFilesOf("erc20_transfer", "island_open", "block");
    await ground.loader(NOTHING_STAYS).tidy();
    const cutOff: Damage = (place, { bytes }) => truncateSync(place, bytes - 1);
    const sizes = () => files.map(({ path }) => statSync(join(ground.lake.folder, path)).size);
    await whileDamaged(
      files.map((file) => [file, cutOff] as const),
      async () => {
        expect(await ground.run(["lake/main.ts", "--check"])).toMatchObject({ code: MENDED });
        expect(sizes()).toEqual(files.map(({ bytes }) => bytes));
      },
    );
  });

  test("says what to do where the lake is gone, and writes no other one in its place", async () => {
    const { folder: place } = ground.lake;
    await ground.loader(NOTHING_STAYS).tidy();
    renameSync(place, join(folder, "away"));
    const { status, text } = await answerOfOld();
    const { code, message } = JSON.parse(text).error;
    expect([status, code, message]).toEqual([
      503,
      "HISTORY_UNAVAILABLE",
      expect.stringContaining("put a copy of it back"),
    ]);
    expect(await ground.run(["lake/main.ts"])).toMatchObject({
      code: 1,
      output: expect.stringContaining("were pruned from PostgreSQL"),
    });
    rmSync(place, { recursive: true, force: true });
    renameSync(join(folder, "away"), place);
    expect(await differentAt(loading, OLD)).toEqual([]);
  });
});

async function isListening(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
