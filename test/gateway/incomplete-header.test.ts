// The header that names whose holdings are missing, as clients read it over a socket.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Address } from "../../gateway/parameters.ts";
import { MOST_NAMED, setIncomplete } from "../../gateway/rest/incomplete-header.ts";
import { listen } from "../../gateway/server.ts";
import { accountOf } from "../support/reference-ledger.ts";

const contracts = Array.from({ length: 1_000 }, (_, i) => accountOf(i + 1) as Address);
const app = new Hono<{ Variables: { requestId: string } }>();
app.get("/:count", (c) => {
  setIncomplete(c, contracts.slice(0, Number(c.req.param("count"))));
  return c.text("");
});

let server: Server;
beforeAll(async () => {
  server = await listen(app, { host: "127.0.0.1", port: 0 });
});
afterAll(() => server.close());

async function named(count: number): Promise<string[] | undefined> {
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}/${count}`);
  return headers.get("x-incomplete")?.split(",");
}

it("names as many contracts as clients take headers of, and says how many more there are", async () => {
  const most = contracts.slice(0, MOST_NAMED);
  expect(await named(0)).toBeUndefined();
  expect(await named(1)).toEqual([contracts[0]]);
  expect(await named(MOST_NAMED)).toEqual(most);
  expect(await named(MOST_NAMED + 1)).toEqual([...most, "+1"]);
  expect(await named(1_000)).toEqual([...most, `+${1_000 - MOST_NAMED}`]);
});
