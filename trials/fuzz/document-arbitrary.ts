// Random GraphQL documents over the schema: most of them valid, with right and wrong arguments, some not even documents.
import fc from "fast-check";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import {
  addressFor,
  amountFor,
  blockFor,
  type Draw,
  isDrawn,
  nonsense,
  pick,
  timeFor,
  upTo,
} from "./parameter-values.ts";
import type { RelativeRequest, SampleValues } from "./sample-values.ts";

export interface DocumentSetting {
  schema: GraphQLSchema;
  samples: SampleValues;
}

const DEEPEST = 5;

/** Requests to /graphql, most by POST. */
export function documentArbitrary(setting: DocumentSetting): fc.Arbitrary<RelativeRequest> {
  return fc.gen().map((draw) => asRequest(draw, drawDocument(draw, setting)));
}

interface Drawn {
  query: string;
  variables?: Record<string, unknown>;
}

function asRequest(draw: Draw, document: Drawn): RelativeRequest {
  const accept = pick(draw, ["application/json", "application/graphql-response+json", "*/*"]);
  if (isDrawn(draw, 10) && document.query.length < 20_000) {
    const variables = document.variables ? `&variables=${encodeURIComponent(JSON.stringify(document.variables))}` : "";
    return {
      method: "GET",
      path: `/graphql?query=${encodeURIComponent(document.query)}${variables}`,
      headers: { accept },
    };
  }
  const body = isDrawn(draw, 2) ? pick(draw, nonsense) : JSON.stringify(document);
  return { method: "POST", path: "/graphql", headers: { accept, "content-type": "application/json" }, body };
}

function drawDocument(draw: Draw, setting: DocumentSetting): Drawn {
  const chance = upTo(draw, 99);
  if (chance < 3) return { query: pick(draw, extremes) };
  const writer = new Writer(draw, setting);
  const query = writer.operation();
  if (chance < 10) return { query: damaged(draw, query) };
  return Object.keys(writer.variables).length > 0 ? { query, variables: writer.variables } : { query };
}

/** Documents with too much of one thing. */
const extremes: readonly string[] = [
  ...["", " ", "{", "{}", "query { }", "{ __typename", "#", "\ufeff{__typename}", "\0"],
  `{ ${Array.from({ length: 300 }, (_, i) => `a${i}: status { state }`).join(" ")} }`,
  `{ facts { ${"markets { nodes { ".repeat(12)} address ${"} }".repeat(12)} } }`,
  `{ ${"status { ".repeat(2_000)} state ${"}".repeat(2_000)} }`,
  `query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
  `query(${Array.from({ length: 200 }, (_, i) => `$v${i}: Int`).join(" ")}) { __typename }`,
  `{ __typename ${"@skip(if: false) ".repeat(500)} }`,
  "mutation { status { state } }",
  "subscription { newBlock { block { number } } }",
  "{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }",
  `{ tokens(first: ${"9".repeat(400)}) { totalCount } }`,
  `query A { status { state } } query B { status { state } }`,
];

function damaged(draw: Draw, query: string): string {
  const at = upTo(draw, Math.max(query.length - 1, 0));
  const piece = pick(draw, ["", "{", "}", "(", ")", "$", "!", '"', "...", "@", "\0", "0", " on ", "null"]);
  return query.slice(0, at) + piece + query.slice(at + upTo(draw, 3));
}

class Writer {
  readonly variables: Record<string, unknown> = {};
  readonly #draw: Draw;
  readonly #setting: DocumentSetting;
  readonly #declared: string[] = [];

  constructor(draw: Draw, setting: DocumentSetting) {
    this.#draw = draw;
    this.#setting = setting;
  }

  operation(): string {
    const query = this.#setting.schema.getQueryType();
    if (!query) throw new Error("the schema has no queries");
    const fields = Object.values(query.getFields());
    const selections = Array.from({ length: 1 + upTo(this.#draw, 2) }, (_, place) =>
      this.#field(pick(this.#draw, fields), { depth: 1, alias: `q${place}: ` }),
    );
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(", ")})` : "";
    return `query Random${declared} { ${selections.join(" ")} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, { depth, alias }: { depth: number; alias: string }): string {
    const given = field.args
      .filter((argument) => isNonNullType(argument.type) || isDrawn(this.#draw, 35))
      .map((argument) => `${argument.name}: ${this.#argument(argument)}`);
    const directive = isDrawn(this.#draw, 3)
      ? pick(this.#draw, [" @include(if: true)", " @skip(if: true)", " @skip"])
      : "";
    const selected = this.#selection(field.type, depth);
    return `${alias}${field.name}${given.length > 0 ? `(${given.join(", ")})` : ""}${directive}${selected}`;
  }

  #selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type);
    if (!isCompositeType(named)) return "";
    if (!isObjectType(named)) return " { __typename }";
    const fields = Object.values(named.getFields());
    const plain = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
    const among = depth < DEEPEST ? fields : plain;
    const chosen = among.filter(() => isDrawn(this.#draw, 35)).slice(0, 6);
    if (chosen.length === 0) return " { __typename }";
    const written = chosen.map((field) => this.#field(field, { depth: depth + 1, alias: "" })).join(" ");
    return isDrawn(this.#draw, 5) ? ` { ... on ${named.name} { ${written} } }` : ` { ${written} }`;
  }

  #argument({ name, type }: GraphQLArgument): string {
    if (isDrawn(this.#draw, 4)) return this.#variable(name, type);
    return this.#literal(name, type);
  }

  /** A variable of the right type, whose value may be of another type. */
  #variable(name: string, type: GraphQLInputType): string {
    const variable = `v${this.#declared.length}`;
    this.#declared.push(`$${variable}: ${String(type)}`);
    this.variables[variable] = pick<unknown>(this.#draw, [
      ...nonsense,
      ...[null, 0, -1, 1.5, true, [], {}, 2 ** 53, addressFor(this.#draw, name, this.#setting.samples)],
    ]);
    return `$${variable}`;
  }

  #literal(name: string, type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.#literal(name, type.ofType);
    if (isDrawn(this.#draw, 2)) return pick(this.#draw, ["null", "{}", "[]", "1.5", "NOTHING", '"\\u0000"', "-1"]);
    if (isListType(type)) {
      const items = Array.from({ length: 1 + upTo(this.#draw, 2) }, () => this.#literal(name, type.ofType));
      return `[${items.join(", ")}]`;
    }
    if (isEnumType(type)) return pick(this.#draw, type.getValues()).name;
    if (!isInputObjectType(type)) return this.#scalar(name, type.name);
    if (type.name === "BlockInput") return this.#block();
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || isDrawn(this.#draw, 25),
    );
    return `{ ${fields.map((field) => `${field.name}: ${this.#literal(field.name, field.type)}`).join(", ")} }`;
  }

  #block(): string {
    const { samples } = this.#setting;
    const chance = upTo(this.#draw, 99);
    if (chance < 70) return `{ number: ${Math.min(blockFor(this.#draw, samples), 2 ** 31 - 1)} }`;
    if (chance < 85) return `{ timestamp: ${timeFor(this.#draw, samples)} }`;
    return chance < 95 ? "{ latest: true }" : pick(this.#draw, ["{}", "{ number: -1 }", "{ number: 1, latest: true }"]);
  }

  #scalar(name: string, scalar: string): string {
    const { samples } = this.#setting;
    if (scalar === "Address") return JSON.stringify(addressFor(this.#draw, name, samples));
    if (scalar === "BigInt") return JSON.stringify(amountFor(this.#draw));
    if (scalar === "Timestamp") return String(timeFor(this.#draw, samples));
    if (scalar === "Boolean") return pick(this.#draw, ["true", "false"]);
    if (scalar === "Int" && name === "chainId") return String(isDrawn(this.#draw, 95) ? samples.chainId : 1);
    if (scalar === "Int")
      return String(isDrawn(this.#draw, 85) ? 1 + upTo(this.#draw, 20) : pick(this.#draw, [0, -1, 1_000, 1_001]));
    if (scalar === "Float") return pick(this.#draw, ["0.5", "1", "-1", "1e300"]);
    if (/token/i.test(name)) return JSON.stringify(addressFor(this.#draw, "traded", samples));
    if (name === "amount") return JSON.stringify(amountFor(this.#draw));
    return JSON.stringify(
      isDrawn(this.#draw, 70) ? pick(this.#draw, ["0.5", "1", "12", "v3", "a"]) : pick(this.#draw, nonsense),
    );
  }
}
