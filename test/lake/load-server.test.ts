// What a gateway makes of the process that loads pruned history when that fails, over HTTP.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { LakeHistory } from "../../gateway/lake/lake-history.ts";
import { createLoadServer } from "../../lake/pruned/serve.ts";

const RANGE = { first: 3, last: 7 };

/** What a reader that wants blocks gets thrown when loading them fails with `code`. */
async function failureOf(code: string): Promise<unknown> {
  const load = () => Promise.reject(Object.assign(new Error(`write ${code}`), { code }));
  const noted: unknown[] = [];
  const server = createLoadServer({ load }, (error) => noted.push(error)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await new LakeHistory(new Map([[1, `http://127.0.0.1:${port}`]])).load(1, RANGE).catch((error) => error);
  } finally {
    server.close();
    expect(noted).toMatchObject([{ code }]);
  }
}

it("the gateway says that history is away where the process that loads it is about to end, and the database only where that is", async () => {
  expect(await failureOf("CONNECTION_ENDED")).toMatchObject({ code: "HISTORY_UNAVAILABLE" });
  expect(await failureOf("ECONNREFUSED")).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});
