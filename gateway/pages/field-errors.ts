// What is wrong with what was typed into a form, to be said beside the field.
import { GatewayError } from "../errors.ts";

/** The name of what is wrong with the input, where an error says it. */
function parameterOf({ details }: GatewayError): string | undefined {
  const named = details?.parameter;
  return typeof named === "string" ? named : undefined;
}

export class FieldErrors {
  readonly #problems = new Map<string, string>();
  readonly #fields: Readonly<Record<string, string>>;

  /** `fields`: the form's fields by the parameter that errors name. */
  constructor(fields: Readonly<Record<string, string>>) {
    this.#fields = fields;
  }

  /** What `read` gives; undefined where what was typed is wrong. @throws what is not about a field of the form */
  async of<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.take(error);
      return undefined;
    }
  }

  /** @throws `error` itself where it is not about a field of the form */
  take(error: unknown): void {
    const parameter = error instanceof GatewayError && error.status === 400 ? parameterOf(error) : undefined;
    const field = parameter === undefined ? undefined : this.#fields[parameter];
    if (!(error instanceof GatewayError) || parameter === undefined || field === undefined) throw error;
    const problem = error.message.replace(`${parameter}: `, "");
    this.set(field, problem);
  }

  /** The first problem of a field stays. */
  set(field: string, problem: string): void {
    if (!this.#problems.has(field)) this.#problems.set(field, problem);
  }

  at(field: string): string | undefined {
    return this.#problems.get(field);
  }

  get areThere(): boolean {
    return this.#problems.size > 0;
  }
}
