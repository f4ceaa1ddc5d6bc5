// Scalars of schema.graphql: exact numbers travel as strings.
import { GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { InvalidInputError } from "../errors.ts";
import { address } from "../parameters.ts";

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

const outputOnly = (name: string) =>
  new GraphQLScalarType({
    name,
    serialize: (value) => String(value),
    parseValue() {
      throw new InvalidInputError(name, "is an output only");
    },
  });

export const scalars = {
  Address: new GraphQLScalarType({
    name: "Address",
    serialize: (value) => String(value),
    parseValue: parseAddress,
    parseLiteral: (node) => parseAddress(textOf(node)),
  }),
  Timestamp: new GraphQLScalarType({
    name: "Timestamp",
    serialize: (value) => Number(value),
    parseValue: parseTimestamp,
    parseLiteral: (node) => parseTimestamp(textOf(node)),
  }),
  BigInt: outputOnly("BigInt"),
  Decimal: outputOnly("Decimal"),
};
