// `npm run client:types`: writes examples/client/generated/api.ts, the REST surface as TypeScript types, from the OpenAPI document.
import { writeFileSync } from "node:fs";
import { openapiDocument } from "../gateway/rest/openapi/document.ts";
import { nameOfRef, type Operation, type Parameter, type Schema, viewDocument } from "../gateway/rest/openapi/view.ts";

const TARGET = new URL("../examples/client/generated/api.ts", import.meta.url);

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);
const quoted = (text: string): string => (isName(text) ? text : JSON.stringify(text));

/** A schema as a TypeScript type. */
function typeText(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOfRef(schema.$ref);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return variants.map((one) => typeText(one, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => `(${typeText(one, indent)})`).join(" & ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => oneType(schema, type, indent))
    .join(" | ");
}

function oneType(schema: Schema, type: string, indent: string): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return `${grouped(typeText(schema.items ?? {}, indent))}[]`;
  if (type !== "object") return type;
  if (schema.properties) return objectText(schema, indent);
  const { additionalProperties: value } = schema;
  return `Record<string, ${typeof value === "object" ? typeText(value, indent) : "unknown"}>`;
}

const grouped = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

function objectText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(field.description, inner)}${inner}${quoted(name)}${mark}: ${typeText(field, inner)};\n`;
  });
  return fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("")}${indent}}`;
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;

const asSchema = (parameters: readonly Parameter[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...schema, ...(description ? { description } : {}) }]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

function operationText({ operationId, method, path, summary, parameters, body, responses }: Operation): string {
  const answer = responses["200"]?.content?.["application/json"]?.schema;
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const fields: [string, string][] = [
    ["method", JSON.stringify(method)],
    ["path", JSON.stringify(path)],
    ["params", typeText(asSchema(of("path")), "    ")],
    ["query", typeText(asSchema(of("query")), "    ")],
    ["body", body ? typeText(body, "    ") : "undefined"],
    ["answer", answer ? typeText(answer, "    ") : "string"],
  ];
  return `${comment(summary, "  ")}  ${operationId}: {\n${fields.map(([name, type]) => `    ${name}: ${type};\n`).join("")}  };\n`;
}

/** The text of the file. Lists in a query are arrays here; a client joins them with commas. */
export function clientTypes(document: object): string {
  const { schemas, operations } = viewDocument(document);
  const named = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${typeText(schema, "")};\n`,
  );
  const places = operations.map(({ operationId, method, path }) => `  ${operationId}: ["${method}", "${path}"],\n`);
  return [
    "// Written by `npm run client:types` from the OpenAPI document: change that, not this.\n",
    ...named,
    `/** What every operation takes and answers. */\nexport interface Operations {\n${operations.map(operationText).join("")}}\n`,
    `/** Where every operation is. */\nexport const places = {\n${places.join("")}} as const;\n`,
  ].join("\n");
}

if (import.meta.main) writeFileSync(TARGET, clientTypes(openapiDocument("")));
