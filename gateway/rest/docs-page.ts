// The OpenAPI document as one page for people: no scripts, nothing from anywhere else.
import { createHash } from "node:crypto";
import {
  type Answer,
  type DocumentView,
  nameOfRef,
  type Operation,
  type Parameter,
  type Schema,
  viewDocument,
} from "./openapi-view.ts";

const STYLE = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
code, .type { font-family: ui-monospace, monospace; font-size: 0.9em }
h2 { margin-top: 3rem; border-bottom: 1px solid #8888 }
h3 { margin: 2rem 0 0.25rem; font-size: 1.05rem }
h3 b { display: inline-block; min-width: 3.5rem }
table { border-collapse: collapse; width: 100% }
td, th { border-top: 1px solid #8884; padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top }
.type { color: #777 }
details > div { padding-left: 1rem }
summary { cursor: pointer }
ul { padding-left: 1.25rem; margin: 0.25rem 0 }
`;

/** Its own style by its hash, and nothing else. */
export const DOCS_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'`;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
/** Words between backticks are code. */
const prose = (text = ""): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");

/** `string | null`, `Vault[]`, `1 to 1000`: a schema in a few words. */
function typeText(schema: Schema): string {
  if (schema.$ref) return `<a href="#schema-${nameOfRef(schema.$ref)}">${nameOfRef(schema.$ref)}</a>`;
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants) return variants.map(typeText).join(schema.allOf ? " &amp; " : " | ");
  if (schema.const !== undefined) return escaped(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((one) => escaped(JSON.stringify(one))).join(" | ");
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => oneType(schema, type)).join(" | ");
}

function oneType(schema: Schema, type: string): string {
  if (type === "array") return `${schema.items ? typeText(schema.items) : "any"}[]${boundsText(schema)}`;
  if (type === "integer" || type === "number") return `${type}${boundsText(schema)}`;
  if (type !== "string" || !schema.pattern) return escaped(type);
  return schema.pattern === "^0x[0-9a-fA-F]{40}$" ? "address" : `string ${escaped(schema.pattern)}`;
}

function boundsText({ minimum, maximum, minItems, maxItems }: Schema): string {
  const [least, most] = [minimum ?? minItems, maximum ?? maxItems];
  const isWide = (bound: number | undefined) => bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER;
  if (isWide(least) && isWide(most)) return "";
  if (isWide(most)) return ` from ${least}`;
  return isWide(least) ? ` to ${most}` : ` ${least} to ${most}`;
}

const isObject = (schema: Schema): boolean => schema.properties !== undefined;

/** The fields of an object and of objects within it. */
function fieldsText(schema: Schema): string {
  const inner = schema.items ?? schema;
  const variants = inner.anyOf ?? inner.oneOf ?? inner.allOf;
  if (variants) return variants.map(fieldsText).join("");
  if (!isObject(inner)) return "";
  const required = new Set(inner.required ?? []);
  const items = Object.entries(inner.properties ?? {}).map(([name, field]) => {
    const mark = required.has(name) ? "" : "?";
    return `<li><code>${escaped(name)}${mark}</code> <span class="type">${typeText(field)}</span> ${prose(field.description)}${fieldsText(field)}</li>`;
  });
  return `<ul>${items.join("")}</ul>`;
}

const parameterRow = ({ name, in: place, required, description, schema }: Parameter): string =>
  `<tr><td><code>${escaped(name)}</code>${required ? " *" : ""}</td><td>${place}</td><td class="type">${typeText(schema)}</td><td>${prose(description ?? schema.description)}</td></tr>`;

function answerText(status: string, { description, content = {}, headers = {} }: Answer): string {
  const types = Object.entries(content);
  const shown = types.map(
    ([type, { schema }]) => `<code>${escaped(type)}</code> <span class="type">${typeText(schema)}</span>`,
  );
  const names = Object.keys(headers).map((name) => `<code>${escaped(name)}</code>`);
  const fields = types[0] ? fieldsText(types[0][1].schema) : "";
  const headerText = names.length > 0 ? `<p>Headers: ${names.join(", ")}</p>` : "";
  return `<details><summary><b>${status}</b> ${prose(description)}</summary><div>${shown.join("<br>")}${headerText}${fields}</div></details>`;
}

function operationText({
  operationId,
  method,
  path,
  summary,
  description,
  parameters,
  body,
  responses,
}: Operation): string {
  const table =
    parameters.length === 0
      ? ""
      : `<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>${parameters.map(parameterRow).join("")}</table>`;
  const sent = body ? `<p>JSON body <span class="type">${typeText(body)}</span></p>${fieldsText(body)}` : "";
  const answers = Object.entries(responses).map(([status, answer]) => answerText(status, answer));
  return `<h3 id="${operationId}"><b>${method}</b> <code>${escaped(path)}</code></h3><p>${prose(summary)}. ${prose(description)}</p>${table}${sent}${answers.join("")}`;
}

function groupText({ operations }: DocumentView, { name, description }: { name: string; description: string }): string {
  const own = operations.filter(({ tag }) => tag === name);
  return `<h2 id="${name}">${name}</h2><p>${prose(description)}.</p>${own.map(operationText).join("")}`;
}

/** HTML, made once: the document does not change while the gateway runs. */
export function docsPage(document: object): string {
  const view = viewDocument(document);
  const { info, tags, schemas } = view;
  const links = tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join(" · ");
  const named = Object.entries(schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${name}">${name} <span class="type">${schema.properties ? "" : typeText(schema)}</span></h3>${fieldsText(schema)}`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${info.title}</title><style>${STYLE}</style></head><body><h1>${info.title} ${info.version}</h1><p>${prose(info.description)} For machines: <a href="/openapi.json">openapi.json</a>; GraphQL: <a href="/graphql">/graphql</a>.</p><p>${links} · <a href="#schemas">schemas</a></p>${tags.map((tag) => groupText(view, tag)).join("")}<h2 id="schemas">schemas</h2>${named.join("")}</body></html>`;
}
