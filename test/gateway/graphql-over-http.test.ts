// /graphql keeps to GraphQL over HTTP, and its schema is the one that the files show.
import { readFileSync } from "node:fs";
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { auditServer } from "graphql-http";
import { afterAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
afterAll(() => gateway.close());

const read = (name: string) => readFileSync(new URL(`../../gateway/graphql/${name}.graphql`, import.meta.url), "utf8");

interface Refusal {
  message: string;
  extensions: { code?: string; details?: { parameter?: string } };
}

describe("/graphql", () => {
  it("passes every audit of graphql-http, without a warning", async () => {
    const results = await auditServer({
      url: "http://gateway.example/graphql",
      fetchFn: (url: string, init?: RequestInit) => gateway.app.request(url, init),
    });
    expect(results.length).toBeGreaterThan(50);
    const failed = results.flatMap((result) =>
      result.status === "ok" ? [] : [`${result.status} ${result.name}: ${result.reason}`],
    );
    expect(failed).toEqual([]);
  });

  it("serves exactly the schema of the files", async () => {
    const { data } = await gateway.graphql(getIntrospectionQuery({ inputValueDeprecation: true }));
    const served = buildClientSchema(data as IntrospectionQuery);
    const written = buildSchema(
      ["schema", "quote", "analytics", "facts", "pool-ranges", "rewards"].map(read).join("\n"),
    );
    expect(printSchema(lexicographicSortSchema(served))).toBe(printSchema(lexicographicSortSchema(written)));
  });

  it("refuses documents too deep to be read, and counts no brackets in strings", async () => {
    const codes = async (query: string) =>
      (await gateway.graphql(query)).errors?.map(({ extensions }) => extensions?.code) ?? [];
    expect(await codes(`{ ${"status { ".repeat(5_000)} state ${"}".repeat(5_000)} }`)).toEqual(["QUERY_TOO_LARGE"]);
    expect(await codes(`{ tokens(after: ${"[".repeat(10_000)}`)).toEqual(["QUERY_TOO_LARGE"]);
    expect(await codes(`{ tokens(after: "${"{".repeat(300)}") { totalCount } }`)).toEqual(["INVALID_INPUT"]);
    expect(await codes(`# ${"{".repeat(300)}\n{ __typename }`)).toEqual([]);
    expect((await codes(`{ a(b: "${'\\"'.repeat(200_000)}`)).length).toBe(1);
  });

  it.each([
    "subscription { newBlock @skip(if: true) { block { number } } }",
    "subscription ($is: Boolean = true) { newBlock @include(if: $is) { block { number } } }",
    "subscription { ...F @skip(if: true) } fragment F on Subscription { newBlock { block { number } } }",
    "subscription { ...F } fragment F on Subscription { ... { ...G } } fragment G on Subscription { newBlock @skip(if: true) { block { number } } }",
  ])("refuses a condition at the field of a subscription: %s", async (query) => {
    const { errors } = await gateway.graphql(query);
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
    expect(errors?.[0]?.message).toMatch(/^The field of a subscription takes no @(skip|include)\.$/);
  });

  it.each(["skip", "include"])("refuses null as the condition of @%s however often it is asked", async (directive) => {
    const query = `query ($is: Boolean = true) { __typename a: __typename @${directive}(if: $is) }`;
    const codes: unknown[] = [];
    for (let i = 0; i < 3; i++) codes.push((await gateway.graphql(query, { is: null })).errors?.[0]?.extensions?.code);
    expect(codes).toEqual(Array(3).fill("INVALID_INPUT"));
    const { data } = await gateway.graphql(query);
    expect(data).toEqual({ __typename: "Query", ...(directive === "include" ? { a: "Query" } : {}) });
  });

  it("gives a code to whatever is refused: variables, kinds of operation, syntax and names", async () => {
    const refusalOf = async (query: string, variables = {}) => {
      const body = JSON.stringify({ query, variables });
      const headers = { "content-type": "application/json" };
      const response = await gateway.app.request("/graphql", { method: "POST", headers, body });
      const { errors } = (await response.json()) as { errors: Refusal[] };
      return [
        response.status,
        ...errors.flatMap(({ extensions: { code, details, ...rest } }) => [
          code,
          details?.parameter ?? "",
          ...Object.keys(rest),
        ]),
      ];
    };
    const query = "query($token: Address!, $first: Int) { balances(token: $token, first: $first) { totalCount } }";
    const token = `0x${"1".repeat(40)}`;
    for (const variables of [{}, { token: null }])
      expect(await refusalOf(query, variables)).toEqual([400, "INVALID_INPUT", "token"]);
    for (const first of ["ten", 2 ** 40])
      expect(await refusalOf(query, { token, first })).toEqual([400, "INVALID_INPUT", "first"]);
    expect(await refusalOf(query, { token: "0x12" })).toEqual([400, "INVALID_INPUT", "token"]);
    const averages = `query($weight: Weight) {
      timeWeightedBalances(token: "${token}", from: { number: 1 }, weight: $weight) { weightTotal } }`;
    // the second time it is compiled
    for (let i = 0; i < 2; i++)
      expect(await refusalOf(averages, { weight: null })).toEqual([200, "INVALID_INPUT", "weight"]);
    const subscription = "subscription($token: Address!) { poolChanged(id: $token) { pool } }";
    const streamed = await gateway.app.request("/graphql", {
      ...{ method: "POST", body: JSON.stringify({ query: subscription }) },
      headers: { "content-type": "application/json", accept: "text/event-stream" },
    });
    expect(await streamed.text()).toContain('"code":"INVALID_INPUT"');
    expect(await refusalOf("mutation { nothing }")).toEqual([200, "INVALID_INPUT", "query"]);
    expect(await refusalOf("{ tokens")).toEqual([200, "GRAPHQL_PARSE_FAILED", ""]);
    expect(await refusalOf("{ nothing }")).toEqual([200, "GRAPHQL_VALIDATION_FAILED", ""]);
    const twice = "query A { __typename } query B { __typename }";
    expect(await refusalOf(twice)).toEqual([400, "OPERATION_RESOLUTION_FAILURE", ""]);
  });

  it("says which variable an address, a time or an amount is of that cannot be read, and where in it", async () => {
    const token = `0x${"1".repeat(40)}`;
    const query = `query($token: Address!, $users: [Address!], $block: BlockInput, $where: TransferFactFilter) {
      balances(token: $token, users: $users, block: $block) { totalCount } facts { transfers(where: $where) { totalCount } } }`;
    const problemOf = async (variables: object) => {
      const { errors = [] } = await gateway.graphql(query, { token, ...variables });
      return (errors as Refusal[]).map(({ message, extensions: { code, details } }) => [
        code,
        details?.parameter,
        message,
      ]);
    };
    expect(await problemOf({ users: [token, "0x12"] })).toEqual([
      [
        "INVALID_INPUT",
        "users",
        'Variable "$users" got invalid value "0x12" at "users[1]"; Expected type "Address". address: must be 0x and 40 hex digits',
      ],
    ]);
    expect(await problemOf({ block: { timestamp: "now" } })).toEqual([
      ["INVALID_INPUT", "block", expect.stringContaining('at "block.timestamp"')],
    ]);
    expect(await problemOf({ where: { amount: { min: 1e20 } } })).toEqual([
      ["INVALID_INPUT", "where", expect.stringContaining('at "where.amount.min"')],
    ]);
  });

  it("refuses variables that are no JSON in a URL or a form, and takes them for no fault of its own", async () => {
    const fields = "query=%7B__typename%7D&variables=x";
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const answers = [
      await gateway.app.request(`/graphql?${fields}`, { headers: { accept: "application/json" } }),
      await gateway.app.request("/graphql", { method: "POST", headers, body: fields }),
    ];
    for (const answer of answers) {
      const message = "variables, extensions: must be JSON, where they are given";
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { errors: [{ message, extensions: { code: "INVALID_INPUT", details: { parameter: "variables" } } }] },
      ]);
    }
  });

  it("names the part of a request that is no question, in the codes of the documents", async () => {
    const accept = { accept: "application/json" };
    const post = (body: string) => ({
      method: "POST",
      body,
      headers: { ...accept, "content-type": "application/json" },
    });
    const refusalOf = async (path: string, init: RequestInit = { headers: accept }) => {
      const { errors } = (await (await gateway.app.request(path, init)).json()) as { errors: Refusal[] };
      return errors.map(({ extensions }) => extensions);
    };
    const refused = (parameter: string) => [{ code: "INVALID_INPUT", details: { parameter } }];
    expect(await refusalOf("/graphql")).toEqual(refused("query"));
    for (const body of ["", "{", "null", "[]", "1"])
      expect(await refusalOf("/graphql", post(body))).toEqual(refused("body"));
    expect(await refusalOf("/graphql", post('{"query":1}'))).toEqual(refused("query"));
    expect(await refusalOf("/graphql", post('{"query":"{ __typename }","variables":[]}'))).toEqual(
      refused("variables"),
    );
    const query = "query=%7B__typename%7D";
    expect(await refusalOf(`/graphql?${query}&${query}`)).toEqual(refused("query"));
    expect(await refusalOf(`/graphql?${query}&variables=%7B%7D&%76ariables=%7B%7D`)).toEqual(refused("variables"));
  });

  it("says which header it cannot accept, with the status for it", async () => {
    const body = JSON.stringify({ query: "{ __typename }" });
    const refusalOf = async (headers: Record<string, string>) => {
      const answer = await gateway.app.request("/graphql", { method: "POST", headers, body });
      const { errors } = (await answer.json()) as { errors: Refusal[] };
      return [answer.status, answer.headers.get("content-type"), ...errors.map(({ extensions }) => extensions)];
    };
    const refused = (parameter: string) => ({ code: "INVALID_INPUT", details: { parameter } });
    const type = "application/json; charset=utf-8";
    expect(await refusalOf({ "content-type": "text/plain" })).toEqual([415, type, refused("content-type")]);
    const unread = { "content-type": "application/json", accept: "text/html" };
    expect(await refusalOf(unread)).toEqual([406, type, refused("accept")]);
  });

  it("shows nothing of its inside when it cannot answer", async () => {
    const { errors } = await gateway.graphql("{ tokens { totalCount } }");
    expect(errors?.[0]?.extensions?.code).toBe("DATABASE_UNAVAILABLE");
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|postgres|stack|\.ts:/);
  });
});
