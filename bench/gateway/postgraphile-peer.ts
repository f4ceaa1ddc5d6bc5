// The peer PostGraphile, which is not a dependency of the product.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../machine/ports.ts";
import { startLogged } from "../ground/child-process.ts";
import { packageFolder } from "../package-folder.ts";

const VERSION = "5.1.5";
const PATIENCE_MS = 60_000;

/** Resolves to its folder; installs it if missing. @throws Error when the registry does not have it */
export const installPostgraphile = (): Promise<string> =>
  packageFolder({ name: `postgraphile-${VERSION}`, packages: [`postgraphile@${VERSION}`, "pg@8", "graphql@16"] });

/** Starts it over the tables of `schema`; resolves when it listens. */
export async function startPostgraphile(databaseUrl: string, schema: string) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-postgraphile-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(folder, "package.json"), '{"name": "peer", "private": true, "type": "module"}');
  symlinkSync(join(await installPostgraphile(), "node_modules"), join(folder, "node_modules"));
  const port = await freePort();
  writeFileSync(
    join(folder, "serve.mjs"),
    `import { createServer } from "node:http";
     import { postgraphile } from "postgraphile";
     import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
     import { makePgService } from "postgraphile/adaptors/pg";
     import { grafserv } from "postgraphile/grafserv/node";
     const pgl = postgraphile({
       extends: [PostGraphileAmberPreset],
       disablePlugins: ["PgIndexBehaviorsPlugin"],
       pgServices: [makePgService({ connectionString: ${JSON.stringify(databaseUrl)}, schemas: [${JSON.stringify(schema)}] })],
       grafserv: { graphiql: false, watch: false, maxRequestLength: 1000000 },
     });
     const server = createServer();
     await pgl.createServ(grafserv).addTo(server);
     server.listen(${port}, "127.0.0.1");
    `,
  );
  const child = startLogged({
    name: "bench postgraphile",
    args: ["serve.mjs"],
    cwd: folder,
    env: { NODE_ENV: "production", GRAPHILE_ENV: "production" },
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await child.stop();
    remove();
  };
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(200)) {
    const answer = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"query": "{ __typename }"}',
    }).catch(() => undefined);
    if (answer?.ok) return { url, stop };
  }
  await stop();
  throw new Error("PostGraphile does not answer; see .tidemark/bench/bench-postgraphile.log");
}
