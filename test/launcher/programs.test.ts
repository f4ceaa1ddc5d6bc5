import { afterEach, describe, expect, it, vi } from "vitest";
import { readEnvironment } from "../../launcher/environment.ts";
import { gatewayEnvironment, indexingEnvironment } from "../../launcher/programs.ts";

afterEach(() => vi.unstubAllEnvs());

describe("what the parts are started with", () => {
  it("gives Ponder a port of its own when PORT is set for the gateway, since Ponder reads PORT too", () => {
    vi.stubEnv("PORT", "5123");
    const environment = readEnvironment({ PORT: "5123" });
    const [served] = environment.chains;
    if (!served) throw new Error("no chain is served");
    const url = "postgres://127.0.0.1/none";
    const ponder = indexingEnvironment({
      served,
      rpcUrl: "http://127.0.0.1:1",
      databaseUrl: url,
      ponderSchema: "facts",
    });
    expect(gatewayEnvironment(environment, { databaseUrl: url }).PORT).toBe("5123");
    expect(ponder.PORT).toBe(String(served.ponderPort));
    expect(ponder.PORT).not.toBe("5123");
  });
});
