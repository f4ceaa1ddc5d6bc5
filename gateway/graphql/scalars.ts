// Scalars of schema.graphql: exact numbers travel as strings.
import { GraphQLScalarType, Kind, parse, type ValueNode } from "graphql";
import { InvalidInputError } from "../errors.ts";
import { address } from "../parameters.ts";
import { typeDefinitions } from "./type-definitions.ts";

const { definitions } = parse(typeDefinitions, { noLocation: true });

/** The description in the schema's text: a scalar made here without it would lose it. */
function wordsOf(name: string): string | undefined {
  const definition = definitions.find((one) => one.kind === Kind.SCALAR_TYPE_DEFINITION && one.name.value === name);
  return definition && "description" in definition ? definition.description?.value : undefined;
}

const textOf = (node: ValueNode): unknown => {
  if (node.kind === Kind.STRING || node.kind === Kind.ENUM) return node.value;
  return node.kind === Kind.INT ? Number(node.value) : undefined;
};

function parseAddress(value: unknown): string {
  const parsed = address.safeParse(value);
  if (!parsed.success) throw new InvalidInputError("address", "must be 0x and 40 hex digits");
  return parsed.data;
}

function parseTimestamp(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidInputError("timestamp", "must be whole seconds since 1970");
  return value;
}

/** As written in a query or its variables: digits, or a number that JSON has kept exact. */
function parseBigInt(value: unknown): bigint {
  const digits = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== "string" || !/^-?\d{1,78}$/.test(digits))
    throw new InvalidInputError("BigInt", "must be a whole number in digits, as a string where it is past 2^53");
  return BigInt(digits);
}

const outputOnly = (name: string) =>
  new GraphQLScalarType({
    name,
    description: wordsOf(name),
    serialize: (value) => String(value),
    parseValue() {
      throw new InvalidInputError(name, "is an output only");
    },
  });

export const scalars = {
  Address: new GraphQLScalarType({
    name: "Address",
    description: wordsOf("Address"),
    serialize: (value) => String(value),
    parseValue: parseAddress,
    parseLiteral: (node) => parseAddress(textOf(node)),
  }),
  Timestamp: new GraphQLScalarType({
    name: "Timestamp",
    description: wordsOf("Timestamp"),
    serialize: (value) => Number(value),
    parseValue: parseTimestamp,
    parseLiteral: (node) => parseTimestamp(textOf(node)),
  }),
  BigInt: new GraphQLScalarType({
    name: "BigInt",
    description: wordsOf("BigInt"),
    serialize: (value) => String(value),
    parseValue: parseBigInt,
    parseLiteral: (node) => parseBigInt(node.kind === Kind.INT ? node.value : textOf(node)),
  }),
  Decimal: outputOnly("Decimal"),
};
