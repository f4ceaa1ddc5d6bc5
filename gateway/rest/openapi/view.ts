// An OpenAPI document as its readers need it: the script that writes client types, and the trials that send random requests.

/** What of JSON Schema the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query";
  required?: boolean;
  description?: string;
  style?: string;
  schema: Schema;
}

interface Answer {
  description: string;
  content?: Readonly<Record<string, { schema: Schema }>>;
  headers?: Readonly<Record<string, { description?: string }>>;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  /** Of a JSON body. */
  body: Schema | undefined;
  /** By status. */
  responses: Readonly<Record<string, Answer>>;
}

interface WrittenOperation extends Omit<Operation, "method" | "path" | "tag" | "parameters" | "body"> {
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, { schema: Schema }>> };
}

interface Written {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

export interface DocumentView extends Pick<Written, "info" | "tags"> {
  operations: readonly Operation[];
  /** Schemas with a name. */
  schemas: Readonly<Record<string, Schema>>;
}

/** `document` is trusted to be one of ours. */
export function viewDocument(document: object): DocumentView {
  const { info, tags, paths, components } = document as Written;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags: groups, parameters, requestBody, ...rest }]) => ({
      ...rest,
      method: method.toUpperCase(),
      path,
      tag: groups?.[0] ?? "",
      parameters: parameters ?? [],
      body: requestBody?.content["application/json"]?.schema,
    })),
  );
  return { info, tags, operations, schemas: components.schemas };
}

/** `#/components/schemas/Vault` is Vault. */
export const nameOfRef = (ref: string): string => ref.split("/").at(-1) ?? ref;
