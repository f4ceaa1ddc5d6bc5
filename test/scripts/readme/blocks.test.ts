// Which commands README.md shows, and that each is run as typed: a wrong one is found.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEnvironment } from "../../../launcher/environment.ts";
import { printed, ReadmeError, readBlocks } from "../../../scripts/readme/blocks.mjs";
import { endLeftovers } from "../../../scripts/readme/fresh-clone.mjs";
import { PORTS, takenPorts } from "../../../scripts/readme/machine.mjs";
import { BlockFailedError, runBlocks } from "../../../scripts/readme/run-blocks.mjs";

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;
const start = fence("sh", "npm start");

/** Imitates launcher/start.ts: says when it is ready, stays, and goes on Ctrl-C. The file `up` is there meanwhile. */
const product = `
  import { rmSync, writeFileSync } from "node:fs";
  process.on("SIGINT", () => { rmSync("up", { force: true }); process.exit(0); });
  setTimeout(() => { writeFileSync("up", ""); console.log("\\nReady after 0.1 s."); }, 100);
  setInterval(() => {}, 1_000);`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-blocks-"));
  const scripts = {
    start: "exec node product.mjs",
    ask: "node -e 'console.log(42)'",
    test: "test ! -e up && touch tested",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shown", version: "1.0.0", scripts }));
  writeFileSync(join(folder, "product.mjs"), product);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (markdown: string, startMs = 20_000) =>
  runBlocks(readBlocks(markdown), { cwd: folder, env: { ...process.env, FORCE_COLOR: "0" }, say: () => {}, startMs });

describe("the commands of a document", () => {
  test("are its sh blocks in order, each with the block right below it as its answer", () => {
    const markdown = `# A\n\n${start}\n${fence("sh", "echo 1\necho 2")}\n${fence("text", "1\n2")}\n${fence("json", "{}")}`;
    expect(readBlocks(markdown)).toEqual([
      { line: 4, text: "npm start", answer: undefined },
      { line: 8, text: "echo 1\necho 2", answer: "1\n2" },
    ]);
  });

  test("all have an answer, but for the two that run everything", () => {
    expect(() => readBlocks(`${start}\n${fence("sh", "echo 1")}\nsome text\n${fence("text", "1")}`)).toThrow(
      ReadmeError,
    );
    expect(() => readBlocks(fence("sh", "npm test"))).toThrow(ReadmeError);
  });

  test("of README.md begin with npm start and end with npm test", () => {
    const blocks = readBlocks(readFileSync(new URL("../../../README.md", import.meta.url), "utf8"));
    expect([blocks[0]?.text, blocks.at(-1)?.text]).toEqual(["npm start", "npm test"]);
    expect(blocks.filter(({ answer }) => answer !== undefined)).toHaveLength(blocks.length - 2);
  });

  test("print what npm says of the script besides, which is no part of the answer", () => {
    expect(printed("\n> tidemark@0.1.0 ask\n> node ask.ts\n\na\n> b\n")).toBe("a\n> b");
    expect(printed("a\n")).toBe("a");
  });
});

describe("running them", () => {
  test("asks while npm start is up, ends it by Ctrl-C before npm test, and leaves nothing", async () => {
    const asks = `${fence("sh", "test -e up && npm run ask")}\n${fence("text", "42")}`;
    await run(`${start}\n${asks}\n${fence("sh", "npm test")}`);
    expect(["up", "tested"].map((name) => existsSync(join(folder, name)))).toEqual([false, true]);
  });

  test.each([
    ["npm run aks", "42"],
    ["false\necho 42", "42"],
    ["npm run ask", "43"],
    ["npm run ask", "4"],
  ])("fails at %j, which does not print %j, and still ends npm start", async (command, answer) => {
    const markdown = `${start}\n${fence("sh", command)}\n${fence("text", answer)}`;
    const failure = await run(markdown).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BlockFailedError);
    expect(String(failure)).toContain(`README.md, line 6: "${command}"`);
    expect(existsSync(join(folder, "up"))).toBe(false);
  });

  test("fails where npm start ends, or is not ready in time", async () => {
    await expect(run(start, 20)).rejects.toThrow("is not ready after 0.02 s");
    writeFileSync(join(folder, "product.mjs"), "process.exit(3)");
    await expect(run(start)).rejects.toThrow("ended with code 3 and never said that it is ready");
    writeFileSync(join(folder, "product.mjs"), product);
  });
});

describe("what is left running", () => {
  test.runIf(existsSync("/proc/self"))("is ended and named", async () => {
    const left = spawn("sleep", ["1000"], { cwd: folder, stdio: "ignore" });
    const ended = new Promise((resolve) => left.once("exit", (_, signal) => resolve(signal)));
    expect(await endLeftovers(realpathSync(folder), 500)).toEqual([expect.stringContaining("sleep 1000")]);
    expect(await ended).toBe("SIGKILL");
    expect(await endLeftovers(realpathSync(folder), 500)).toEqual([]);
  });
});

describe("the ports that must be free", () => {
  test("are those npm start takes", () => {
    const { port, devnetPort, chains } = readEnvironment({});
    expect(PORTS).toEqual([port, devnetPort, chains[0].ponderPort]);
  });

  test("are named when something listens there", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    expect(await takenPorts([port])).toEqual([port]);
    await new Promise((resolve) => server.close(resolve));
    expect(await takenPorts([port])).toEqual([]);
  });
});
