// ops/docker, as far as it can be checked without a container engine: every part is one of the product's and gets settings that it
// reads, and PostgreSQL is set as the launcher sets its own.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { settingNames as foldNames, readEnvironment as readFold } from "../../fold/environment.ts";
import { settingNames as gatewayNames, readEnvironment as readGateway } from "../../gateway/env.ts";
import { settingNames as launcherNames, readEnvironment as readLauncher } from "../../launcher/environment.ts";
import { serverSettings } from "../../launcher/postgres/settings.ts";
import { realPrograms } from "../../launcher/programs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "ops/docker");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface ComposeService {
  image?: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
  profiles?: string[];
}

const text = read("compose.yaml");
const compose = parse(text, { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

/** What an operator must set. */
const given: Record<string, string> = { POSTGRES_PASSWORD: "secret", RPC_URL: "https://node.example/" };

/** As compose fills in `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
const filled = (value: string): string =>
  value.replace(/\$\{(\w+)(:[-?][^}]*)?\}/g, (_, name: string, otherwise: string | undefined) => {
    const set = given[name] ?? (otherwise?.startsWith(":-") ? otherwise.slice(2) : undefined);
    if (set === undefined) throw new Error(`${name} has no value: name it in the head of compose.yaml`);
    return set;
  });

const environmentOf = ({ environment = {} }: ComposeService): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));

const parts = {
  "gateway/main.ts": { read: readGateway, names: gatewayNames },
  "fold/main.ts": { read: readFold, names: foldNames },
  "launcher/indexer.ts": { read: readLauncher, names: launcherNames },
} as const;
const entryOf = ({ command }: ComposeService) => command?.at(-1) ?? "";
const own = services.filter(([, { image = "" }]) => filled(image).startsWith("tidemark:"));

/** What the C library reads. */
const ofTheSystem = ["MALLOC_ARENA_MAX"];

describe("ops/docker", () => {
  it("runs two gateways, one writer of each kind, and the same pair for the next build", () => {
    const count = (entry: string, isNext: boolean) =>
      own.filter(
        ([, service]) => entryOf(service) === entry && (service.profiles?.includes("next") ?? false) === isNext,
      ).length;
    expect(Object.keys(parts).map((entry) => [count(entry, false), count(entry, true)])).toEqual([
      [2, 0],
      [1, 1],
      [1, 1],
    ]);
    expect(own).toHaveLength(6);
  });

  it("leaves the file with the password out of the image, wherever it lies", () => {
    expect(read("Dockerfile.dockerignore").split("\n")).toContain("**/.env");
  });

  it.each(["fold", "gateway"] as const)("starts every %s as the launcher does", (part) => {
    const commands = own
      .filter(([, service]) => entryOf(service) === `${part}/main.ts`)
      .map(([, { command }]) => command);
    expect(commands).toEqual([1, 2].map(() => ["node", ...realPrograms(false)[part]]));
  });

  it.each(own)("%s starts what an npm script starts, with settings that it reads and takes", (_, service) => {
    const scripts = (
      JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> }
    ).scripts;
    const entry = entryOf(service) as keyof typeof parts;
    expect(Object.values(scripts).some((script) => script.endsWith(` ${entry}`))).toBe(true);
    expect(existsSync(join(root, entry))).toBe(true);
    const { names, read: readEnvironment } = parts[entry];
    const listed = [...names, ...ofTheSystem];
    expect(Object.keys(service.environment ?? {}).filter((name) => !listed.includes(name))).toEqual([]);
    expect(() => readEnvironment(environmentOf(service))).not.toThrow();
  });

  it("gives every part what the operator sets for it in the file beside it", () => {
    const set = (entry: string) =>
      own.filter(([, service]) => entryOf(service) === entry).map(([, service]) => service);
    for (const { env_file } of set("gateway/main.ts")) expect(env_file).toEqual([{ path: ".env", required: false }]);
    for (const { environment } of set("launcher/indexer.ts")) expect(environment).toHaveProperty("CHECK_BLOOMS");
    for (const { environment } of set("fold/main.ts"))
      expect(environment).toMatchObject({ KEEP_OLD_INDEX_MINUTES: expect.anything(), LOG_LEVEL: expect.anything() });
  });

  it("balances URLs as long as the longest list of addresses", () => {
    const balancer = read("haproxy.cfg");
    const of = (name: string) => Number(new RegExp(`^ +${name} (\\d+)$`, "m").exec(balancer)?.[1]);
    const addressBytes = 42 + encodeURIComponent(",").length;
    expect(of("tune.bufsize")).toBeGreaterThan(10_000 * addressBytes + 16_384);
    expect(3 * of("tune.bufsize") * of("maxconn")).toBeLessThan(5e9);
  });

  it("lets gateways read every server, and writers the primary alone", () => {
    const servers = services.filter(([, { image }]) => image?.startsWith("postgres:")).map(([name]) => name);
    expect(servers).toEqual(["primary", "replica"]);
    for (const [, service] of own) {
      const environment = environmentOf(service);
      const hosts = [environment.DATABASE_URL, environment.DATABASE_READ_URL].flatMap((url) =>
        url ? [new URL(url).hostname] : [],
      );
      expect(hosts).toEqual(entryOf(service) === "gateway/main.ts" ? servers : ["primary"]);
    }
  });

  it("names only services, volumes and files that are there", () => {
    for (const [name, { depends_on = [], volumes = [], build }] of services) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect([name, needed.filter((other) => !(other in compose.services))]).toEqual([name, []]);
      const sources = volumes.map((volume) => String(volume.split(":")[0]));
      const isThere = (source: string) =>
        source.startsWith("./") ? existsSync(join(folder, source)) : source in compose.volumes;
      expect([name, sources.filter((source) => !isThere(source))]).toEqual([name, []]);
      if (build) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
    }
  });

  it("balances over the gateways, which trust no header but the balancer's", () => {
    const balancer = read("haproxy.cfg");
    const servers = [...balancer.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, address]) => [name, address]);
    const gateways = own.filter(([, service]) => entryOf(service) === "gateway/main.ts");
    expect(servers).toEqual(gateways.map(([name, service]) => [name, `${name}:${environmentOf(service).PORT}`]));
    const [, service] = gateways[0] ?? [];
    expect(service && environmentOf(service).CLIENT_ADDRESS_HEADER).toBe("X-Forwarded-For");
    expect(balancer).toMatch(/del-header X-Forwarded-For\n +option forwardfor/);
    expect([...balancer.matchAll(/GET (\/\w+)/g)].map(([, path]) => path)).toEqual(["/health"]);
  });

  it("keeps metrics inside, however their path is written: gateways decode it and take its dots and its last slash away", async () => {
    const rule = /deny deny_status 404 if \{ path,url_dec -m sub (\w+) \}/.exec(read("haproxy.cfg"));
    const denied = String(rule?.[1]);
    const app = new Hono({ strict: false }).get("/metrics", (c) => c.text("inside"));
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
    try {
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const raw = (path: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const request = get({ host: "127.0.0.1", port, path }, (answer) => resolve(answer.resume().statusCode));
          request.once("error", reject);
        });
      const written = ["/metrics", "/%6detrics", "/metrics/", "/./metrics", "/x/../metrics", "/x/%2e%2e/metrics"];
      for (const path of written) {
        expect(await raw(path), path).toBe(200);
        expect(decodeURIComponent(path), path).toContain(denied);
      }
      expect(await raw("/%256detrics")).toBe(404);
    } finally {
      server.close();
    }
  });

  it("sets PostgreSQL as the launcher does", () => {
    const settings = Object.fromEntries(
      [...read("postgres.conf").matchAll(/^(\w+) = '(.*)'$/gm)].map(([, name, value]) => [name, value]),
    );
    const ofThePlace = [
      ...["port", "listen_addresses", "unix_socket_directories", "dynamic_shared_memory_type"],
      "wal_compression", // builds differ in their methods
    ];
    const launchers = serverSettings({ port: 5432, hasSocket: false, hasReplicas: true, isTemporary: false });
    const differing = Object.entries(launchers).filter(
      ([name, value]) => !ofThePlace.includes(name) && settings[name] !== value,
    );
    expect(differing).toEqual([]);
    expect(settings).toMatchObject({ listen_addresses: "*", hot_standby_feedback: "on" });
  });

  it.each(["allow-replicas.sh", "replica.sh"])("%s is a script that a shell can read", (name) => {
    const { status, stderr } = spawnSync("sh", ["-n", join(folder, name)], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
