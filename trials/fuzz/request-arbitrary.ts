// Random requests, drawn from the OpenAPI document: most of them right, some with one thing wrong, some with everything.
import fc from "fast-check";
import type { DocumentView, Operation, Parameter } from "../../gateway/rest/openapi/view.ts";
import { type Draw, fits, isDrawn, nonsense, pick, textFor, upTo } from "./parameter-values.ts";
import type { RelativeRequest, SampleValues } from "./sample-values.ts";

export interface FuzzRequest extends RelativeRequest {
  /** The route that it is for; undefined for paths and methods that do not exist. */
  operation: Operation | undefined;
  /** Parameters whose value is not what the document says. */
  broken: readonly string[];
}

interface Setting {
  view: DocumentView;
  samples: SampleValues;
}

/** The chance of each parameter to be wrong, in a request that may be wrong. */
const NONSENSE_PERCENT = 15;

/** GraphQL has a generator of its own. */
export const isRest = ({ path }: Operation): boolean => path !== "/graphql";

export function requestArbitrary(setting: Setting): fc.Arbitrary<FuzzRequest> {
  return fc.gen().map((draw) => drawRequest(draw, setting));
}

function drawRequest(draw: Draw, setting: Setting): FuzzRequest {
  if (isDrawn(draw, 3)) return strayRequest(draw, setting);
  const operations = setting.view.operations.filter(isRest);
  // routes without parameters need few requests
  const operation = pick(
    draw,
    isDrawn(draw, 95) ? operations.filter(({ parameters, body }) => parameters.length > 1 || body) : operations,
  );
  const broken: string[] = [];
  // if each of many parameters were wrong now and then, hardly any request would be right
  const nonsensePercent = isDrawn(draw, 55) ? 0 : NONSENSE_PERCENT;
  const byTime = isDrawn(draw, 25);
  const sent = operation.parameters
    .filter((parameter) => isDrawn(draw, likelihood(parameter, byTime)))
    .map((parameter) => {
      const text = parameterText(draw, namedFor(operation, parameter), { ...setting, nonsensePercent });
      if (text !== "" && !fits(parameter.schema, text)) broken.push(parameter.name);
      return { parameter, text };
    });
  if (isDrawn(draw, 85)) putInOrder(sent);
  if (isDrawn(draw, 60)) putPair(draw, sent, setting.samples);
  const chosen = isDrawn(draw, 5) ? sent.filter(({ parameter }) => parameter.in === "path" || isDrawn(draw, 60)) : sent;
  const isChosen = (name: string) => chosen.some(({ parameter }) => parameter.name === name);
  const method = operation.method === "GET" && isDrawn(draw, 3) ? "HEAD" : operation.method;
  const body = operation.body ? bodyText(draw, operation, { ...setting, nonsensePercent }) : undefined;
  const named = namesIn(body);
  return {
    operation,
    method,
    path: pathOf(operation, chosen) + queryOf(draw, chosen),
    headers: headersFor(draw, body),
    ...(body === undefined ? {} : { body }),
    broken: broken.filter((name) => isChosen(name) && !named.includes(name)),
  };
}

/** A parameter that the body names is not read from the URL. */
function namesIn(body: string | undefined): string[] {
  try {
    return Object.keys(JSON.parse(body ?? "{}") ?? {});
  } catch {
    return [];
  }
}

/** The address of a launched token has the same parameter name as any other address. */
const namedFor = ({ path }: Operation, parameter: Parameter): Parameter =>
  parameter.name === "address" && path.startsWith("/launch/") ? { ...parameter, name: "launch" } : parameter;

/** In percent. A block has either a number or a time; parameters that are seldom right on a product with few things are seldom sent. */
function likelihood({ name, required }: Parameter, byTime: boolean): number {
  if (required) return 100;
  if (/timestamp$/i.test(name)) return byTime ? 97 : 2;
  if (/^(?:blockNumber|fromBlock|toBlock)$/.test(name)) return byTime ? 2 : 97;
  return /^(?:refCode|referrerFeeBps|providers|search|chainId)$/.test(name) ? 8 : 40;
}

interface Sent {
  parameter: Parameter;
  text: string;
}

/** Puts a range's earlier end first. */
function putInOrder(sent: readonly Sent[]): void {
  for (const unit of ["Block", "Timestamp"]) {
    const [from, to] = ["from", "to"].map((end) => sent.find(({ parameter }) => parameter.name === end + unit));
    if (!from || !to || ![from, to].every(({ text }) => /^\d{1,12}$/.test(text))) continue;
    if (Number(from.text) > Number(to.text)) [from.text, to.text] = [to.text, from.text];
  }
}

interface TextSetting extends Pick<Setting, "samples"> {
  nonsensePercent: number;
}

/** Makes it a swap that some pool can do. */
function putPair(draw: Draw, sent: readonly Sent[], { pairs }: SampleValues): void {
  const ends = sent.filter(({ parameter: { name } }) => /^token(?:In|Out)Address$/.test(name));
  const sound = ends.filter(({ text }) => /^0x[0-9a-f]{40}$/.test(text));
  if (pairs.length === 0 || sound.length < 2) return;
  const pair = pick(draw, pairs);
  const isTurned = isDrawn(draw, 50);
  for (const [i, end] of sound.entries()) end.text = pair[(i === 0) === isTurned ? 1 : 0];
}

function parameterText(draw: Draw, parameter: Parameter, { samples, nonsensePercent }: TextSetting): string {
  if (!isDrawn(draw, nonsensePercent)) return textFor(draw, parameter, samples);
  const text = pick(draw, nonsense);
  // a path segment is never empty, and segments of dots are removed before the request is sent
  return parameter.in === "path" && /^[. ]*$/.test(text) ? "0" : text;
}

const encoded = (text: string): string => encodeURIComponent(text);

const pathOf = ({ path }: Operation, sent: readonly Sent[]): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => encoded(sent.find(({ parameter }) => parameter.name === name)?.text ?? "0"));

function queryOf(draw: Draw, sent: readonly Sent[]): string {
  const pairs = sent
    .filter(({ parameter }) => parameter.in === "query")
    .map(
      ({ parameter, text }) =>
        `${parameter.name}=${isDrawn(draw, 50) ? encoded(text) : encoded(text).replaceAll("%2C", ",")}`,
    );
  if (isDrawn(draw, 3))
    pairs.push(pick(draw, ["", "unknown=1", "%", "%ff=%ff", "a[b]=1", "=", "__proto__=1", ...pairs]));
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const PRECONDITIONS = ["*", '""', 'W/"x"', '"a", "b"', "\\", '"'];
const ENCODINGS = ["gzip", "br", "identity", "gzip;q=0, br;q=x", "*", "deflate"];

function headersFor(draw: Draw, body: string | undefined): Record<string, string> {
  return {
    ...(body === undefined ? {} : { "content-type": isDrawn(draw, 95) ? "application/json" : "text/plain" }),
    ...(isDrawn(draw, 5) ? { "if-none-match": pick(draw, PRECONDITIONS) } : {}),
    ...(isDrawn(draw, 10) ? { "accept-encoding": pick(draw, ENCODINGS) } : {}),
    ...(isDrawn(draw, 3) ? { "x-request-id": pick(draw, ["a", "x".repeat(65), "a b"]) } : {}),
  };
}

const BODIES = [
  "",
  "{",
  "null",
  "[]",
  "1",
  '"x"',
  "{}",
  '{"a":1e999}',
  "[".repeat(2_000),
  '{"__proto__":{"users":[]}}',
  "\0",
];

function bodyText(draw: Draw, { body }: Operation, { samples, nonsensePercent }: TextSetting): string {
  if (isDrawn(draw, nonsensePercent)) return pick(draw, BODIES);
  const required = new Set(body?.required ?? []);
  const fields = Object.entries(body?.properties ?? {})
    .filter(([name]) => required.has(name) || name === "blockNumber" || isDrawn(draw, 30))
    .map(([name, schema]) => {
      if (isDrawn(draw, nonsensePercent))
        return [name, pick<unknown>(draw, [...nonsense, null, 1.5, -1, true, {}, [], [null], [[]], 2 ** 60])];
      if (schema.items) {
        const text = textFor(draw, { name, schema }, samples);
        return [name, text.split(",")];
      }
      const [first = schema] = schema.anyOf ?? [];
      const text = textFor(draw, { name, schema: schema.anyOf?.at(-1) ?? schema }, samples);
      return [name, first.type === "integer" && isDrawn(draw, 60) && text.length < 16 ? Number(text) : text];
    });
  return JSON.stringify(Object.fromEntries(fields));
}

/** Paths that do not exist, and methods that existing paths do not take. */
function strayRequest(draw: Draw, { view }: Setting): FuzzRequest {
  const path = isDrawn(draw, 50)
    ? `/${pick(draw, nonsense.map(encoded))}/${upTo(draw, 9)}`
    : pick(draw, view.operations).path.replace(/\{\w+\}/g, "0");
  const method = pick(draw, ["PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"]);
  return { operation: undefined, method, path, headers: {}, broken: [] };
}
