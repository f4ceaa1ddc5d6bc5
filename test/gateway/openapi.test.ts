// The OpenAPI document names exactly the routes that answer.
import { describe, expect, it } from "vitest";
import { openapiDocument } from "../../gateway/rest/openapi.ts";
import { restRoutes } from "../../gateway/rest/routes.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

describe("the OpenAPI document", () => {
  const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));

  it("describes every route and no other", () => {
    const described = Object.entries(openapiDocument("1.0.0").paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const answered = restRoutes(gateway.service).routes.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual([...new Set(answered)].filter((route) => route !== "GET /openapi.json").sort());
  });

  it("is served as JSON", async () => {
    const { status, body } = await gateway.get("/openapi.json");
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: "3.1.0", info: { title: "Tidemark" } });
    expect(JSON.stringify(body)).toContain('"BalanceResult"');
  });

  it("says DATABASE_UNAVAILABLE when there is no database", async () => {
    const { status, body } = await gateway.get("/balances/0x00000000000000000000000000000000000000aa?blockNumber=1");
    expect([status, (body.error as { code: string }).code]).toEqual([503, "DATABASE_UNAVAILABLE"]);
  });
});
