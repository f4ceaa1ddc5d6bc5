// The OpenAPI document names exactly the routes that answer.
import type { RouteConfig } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { documentedRoutes, openapiDocument } from "../../gateway/rest/openapi/document.ts";
import { viewDocument } from "../../gateway/rest/openapi/view.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const isKeyless = (path: string) => /^\/(?:launch\/.*|health|ready|openapi\.json|docs)$/.test(path);

describe("the OpenAPI document", () => {
  const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));

  it("describes every route and no other", () => {
    const described = Object.entries(openapiDocument("1.0.0").paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const answered = gateway.app.routes
      // what a page loads is no part of the API
      .filter(({ method, path }) => method !== "ALL" && !path.includes("/assets/"))
      .map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual([...new Set(answered)].sort());
  });

  it("gives every operation a name of its own, words, and the answers of the door", () => {
    const { operations } = viewDocument(openapiDocument("1.0.0"));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const wordless = operations.filter(({ summary, description, tag }) => !summary || !description || !tag);
    expect(wordless).toEqual([]);
    const lacking = operations.filter(
      ({ path, responses }) => !("500" in responses) || "401" in responses === isKeyless(path),
    );
    expect(lacking.map(({ path }) => path)).toEqual([]);
  });

  it("describes parameters by what parses them", () => {
    const { operations } = viewDocument(openapiDocument("1.0.0"));
    const schemaOf = (id: string, name: string) =>
      operations.find(({ operationId }) => operationId === id)?.parameters.find((one) => one.name === name)?.schema;
    expect(schemaOf("getBalances", "token")).toEqual({ type: "string", pattern: "^0x[0-9a-fA-F]{40}$" });
    expect(schemaOf("getBalances", "users")).toMatchObject({ type: "array", minItems: 1, maxItems: 10_000 });
    expect(schemaOf("getVaults", "limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 1_000 });
    expect(schemaOf("getLaunches", "limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
    expect(schemaOf("getRouterQuote", "deadline")).toMatchObject({ type: "integer", minimum: 1, maximum: 86_400 });
  });

  it("says of a POST what it reads from its URL, and neither a tag nor a format that it never answers with", () => {
    const { operations } = viewDocument(openapiDocument("1.0.0"));
    const posted = (id: string) => {
      const { parameters = [], responses = {} } = operations.find(({ operationId }) => operationId === id) ?? {};
      const { headers = {}, content = {} } = responses["200"] as { headers?: object; content?: object };
      const inUrl = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      return [inUrl, Object.keys(headers), Object.keys(content).length];
    };
    const block = ["blockNumber", "timestamp", "chainId"];
    const headers = ["X-Block-Number", "X-Incomplete", "X-Token-Flags"];
    expect(posted("postBalances")).toEqual([[...block, "users"], headers, 1]);
    const atBlocks = ["X-Block-Number", "X-Incomplete"];
    expect(posted("postBalancesAtBlocks")).toEqual([["users", "format", "chainId"], atBlocks, 4]);
    expect(posted("postTokens")).toEqual([block, ["X-Block-Number"], 1]);
  });

  it("has an example of every body that its own schema takes", () => {
    const posts = (documentedRoutes as RouteConfig[]).filter(({ method }) => method === "post");
    expect(posts.length).toBeGreaterThan(5);
    for (const { path, request } of posts) {
      const content = request?.body?.content["application/json"];
      const { schema, example } = content as { schema: z.ZodType; example?: unknown };
      expect([path, schema.safeParse(example).error]).toEqual([path, undefined]);
    }
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
