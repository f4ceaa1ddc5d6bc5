// The peer of the REST measurement: a process with a Hono handler and the recorded statements, nothing else.
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import postgres from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import type { Recorded } from "./rest.ts";

const { RECORDED = "", DATABASE_URL = "", PORT = "0" } = process.env;
const recorded = JSON.parse(readFileSync(RECORDED, "utf8")) as Recorded[];
const sql = postgres(DATABASE_URL, { max: 12, ...undelayed(), fetch_types: false, onnotice: () => {} });
const app = new Hono();

app.get("/*", async (c) => {
  const url = new URL(c.req.url);
  const found = recorded.find(({ path }) => path === url.pathname + url.search);
  if (!found) return c.text("not recorded", 404);
  // a single statement needs no transaction
  const connection = found.sent.length === 1 ? undefined : await sql.reserve();
  try {
    for (const { text, parameters, way } of found.sent) {
      const used = connection ?? sql;
      if (way === "simple") await used.unsafe(text).simple();
      else await used.unsafe(text, [...parameters], { prepare: way !== "unnamed" }).raw();
    }
  } finally {
    connection?.release();
  }
  return c.body(found.body, 200, { "content-type": "application/json" });
});

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) }, () => {
  process.stdout.write('{"msg": "listening"}\n');
});
