// The stand-ins of a running devnet: the launcher's environment leads the gateway to them, and they sell what its router quotes.
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { standIns } from "../../devnet/standins/all.ts";
import { startStandIns } from "../../devnet/standins/beside-gateway.ts";
import { providers } from "../../gateway/aggregator/registry.ts";
import { readQuoteSettings } from "../../gateway/aggregator/settings.ts";
import { readEnvironment } from "../../launcher/environment.ts";
import { devnetEnvironment, gatewayEnvironment } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";

const DEVNET = 31337;
const EXECUTOR = "0x00000000000000000000000000000000000000e5";
const [TOKEN_IN, TOKEN_OUT] = [
  "0x00000000000000000000000000000000000000a1",
  "0x00000000000000000000000000000000000000a2",
];
const ROUTER = "0x00000000000000000000000000000000000000c0";

let gateway: Server;
let port: number;
let environment: NodeJS.ProcessEnv;
const requested: URL[] = [];

beforeAll(async () => {
  const [gatewayPort, standInsPort] = [await freePort(), await freePort()];
  port = standInsPort;
  gateway = createServer((request, response) => {
    requested.push(new URL(request.url ?? "", "http://gateway"));
    const hop = {
      ...{ type: "v2-pool", fee: "3000" },
      address: EXECUTOR,
      tokenIn: { address: TOKEN_IN },
      tokenOut: { address: TOKEN_OUT },
    };
    const route = [[{ ...hop, amountIn: "1000000", amountOut: "2000000" }]];
    const methodParameters = { calldata: "0x12345678", value: "0x0", to: ROUTER };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ quote: "2000000", gasUseEstimate: "100000", route, methodParameters }));
  });
  await new Promise<void>((resolve) => gateway.listen(gatewayPort, "127.0.0.1", resolve));
  const launcher = { ...readEnvironment({ PORT: String(gatewayPort) }), standInsPort };
  environment = gatewayEnvironment(launcher, { databaseUrl: "postgres://nobody@127.0.0.1/none" });
  const { STAND_INS_PORT, GATEWAY_URL } = devnetEnvironment(launcher);
  expect(STAND_INS_PORT).toBe(String(standInsPort));
  await startStandIns({ port, gatewayUrl: GATEWAY_URL ?? "", chainId: DEVNET, executor: EXECUTOR });
});
afterAll(() => {
  gateway?.close();
});

describe("the devnet's stand-ins", () => {
  it("are what the launcher's gateway asks, on the devnet alone", () => {
    const settings = readQuoteSettings(environment, [DEVNET, 80094]);
    for (const provider of providers) {
      expect(settings.of(provider, DEVNET)).toMatchObject({ missing: undefined, apiKey: "stand-in" });
      expect(settings.of(provider, DEVNET).url).toMatch(new RegExp(`^http://127.0.0.1:${port}/`));
      expect(settings.of(provider, 80094).apiKey).toBeUndefined();
    }
    expect(standIns.map(({ name }) => name)).toEqual(providers.map(({ name }) => name));
  });

  it("leave a provider alone whose URL is set, for this chain or for all", () => {
    vi.stubEnv("FLY_URL", "http://fly.test");
    vi.stubEnv(`ENSO_URL_${DEVNET}`, "http://enso.test");
    const launcher = { ...readEnvironment({}), standInsPort: port };
    const settings = readQuoteSettings(gatewayEnvironment(launcher, { databaseUrl: "postgres://nobody@none" }), [
      DEVNET,
    ]);
    vi.unstubAllEnvs();
    const found = Object.fromEntries(providers.map((one) => [one.name, settings.of(one, DEVNET)]));
    expect(found.Fly).toMatchObject({ url: "http://fly.test", apiKey: undefined });
    expect(found.Enso?.url).toBe("http://enso.test");
    expect(found.OpenOcean?.url).toContain(`127.0.0.1:${port}/`);
  });

  it.each(providers)(
    "$name sells what the router quotes, a little dearer, with a call of the executor",
    async (provider) => {
      const settings = readQuoteSettings(environment, [DEVNET]).of(provider, DEVNET);
      const answer = await provider.quote(
        {
          ...{ chainId: DEVNET, type: "exactIn", amount: 1_000_000n, gasPriceWei: 1n, deadlineSeconds: 60 },
          ...{ tokenIn: TOKEN_IN as `0x${string}`, tokenOut: TOKEN_OUT as `0x${string}`, taker: ROUTER },
          ...{ slippage: { numerator: 1n, denominator: 100n }, wantsTransaction: true },
        },
        { url: settings.url ?? "", apiKey: settings.apiKey, signal: AbortSignal.timeout(10_000) },
      );
      expect(answer.amount).toBeGreaterThan(1_990_000n);
      expect(answer.amount).toBeLessThan(2_000_000n);
      expect(answer.transaction).toMatchObject({ to: EXECUTOR, value: 0n });
      expect(requested.at(-1)?.searchParams.get("recipient")).toBe(EXECUTOR);
    },
  );
});
