// What commands say of a command line that they cannot use, first those that try the product out.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

const run = (entry: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, GATEWAY_URL: "http://127.0.0.1:1", ...env } };
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", entry, ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

it("each says in two lines what it cannot use, and how it is used", async () => {
  const commands = {
    "fuzz:v3": "devnet/fuzz/v3.ts",
    "fuzz:router": "trials/route-fuzz/main.ts",
    "fuzz:http": "trials/fuzz/main.ts",
    "fuzz:sql": "trials/sql-fuzz/main.ts",
    load: "trials/load/main.ts",
    "verify:faults": "trials/faults/main.ts",
    chaos: "trials/faults/chaos.ts",
    "verify:replicas": "trials/replicas/main.ts",
  };
  for (const [command, entry] of Object.entries(commands)) {
    const said = expect.stringMatching(
      new RegExp(`^Unknown option '--nonsense'[^\\n]*\\nnpm run ${command} -- \\[[^\\n]*\\n$`),
    );
    expect(await run(entry, ["--nonsense"]), command).toEqual({ code: 2, stdout: "", stderr: said });
  }
});

it("fuzz:http says how it is used, which numbers it cannot read, and where nothing answers", async () => {
  const entry = "trials/fuzz/main.ts";
  const usage = expect.stringMatching(/^npm run fuzz:http -- \[[^\n]*\n$/);
  expect(await run(entry, ["--help"])).toEqual({ code: 0, stdout: usage, stderr: "" });
  const { code, stderr } = await run(entry, ["--requests", "ten"]);
  expect([code, stderr.split("\n")[0]]).toEqual([2, '--requests: "ten" is not a number above zero']);
  const nobody = "nothing answers at http://127.0.0.1:1: run `npm start` first, or name the product by --url\n";
  expect(await run(entry, [])).toEqual({ code: 2, stdout: "", stderr: nobody });
});

it("check:chain says how it is used, and names what holds no URL of a node, without a password", async () => {
  const entry = "scripts/check-chain.ts";
  const usage = expect.stringMatching(/^usage: npm run check:chain -- /);
  expect(await run(entry, ["--help"])).toEqual({ code: 0, stdout: usage, stderr: "" });
  const withPassword = "http://user:secret@127.0.0.1:1/";
  const problem = "must not hold a user or password, which Ponder cannot send: take an address with a key in its path";
  expect(await run(entry, ["devnet", "--rpc", withPassword])).toMatchObject({ code: 2, stderr: `--rpc: ${problem}\n` });
  expect(await run(entry, ["devnet"], { RPC_URL_31337: withPassword, RPC_URL: "http://127.0.0.1:1" })).toMatchObject({
    code: 2,
    stderr: `RPC_URL_31337: ${problem}\n`,
  });
});
