// Forms and their fields: what is wrong with one is said beside it, and what was typed stays in it.
import type { Child } from "hono/jsx";
import type { FieldErrors } from "../field-errors.ts";
import type { ViewRequest } from "../view.ts";

interface FieldProps {
  label: string;
  name: string;
  /** As it was typed. */
  value: string | undefined;
  errors?: FieldErrors;
  /** In words, below the field. */
  hint?: string;
}

const MOST_TYPED = 200;

/** Ids of the texts that describe a field, for screen readers. */
function described({ name, errors, hint }: Pick<FieldProps, "name" | "errors" | "hint">) {
  const problem = errors?.at(name);
  const ids = [problem === undefined ? [] : [`${name}-problem`], hint === undefined ? [] : [`${name}-hint`]].flat();
  return {
    problem,
    attributes: {
      "aria-invalid": problem === undefined ? undefined : ("true" as const),
      "aria-describedby": ids.length === 0 ? undefined : ids.join(" "),
    },
  };
}

function Notes({ name, problem, hint }: { name: string; problem: string | undefined; hint: string | undefined }) {
  return (
    <>
      {problem !== undefined && (
        <span class="field-problem" id={`${name}-problem`}>
          {problem}
        </span>
      )}
      {hint !== undefined && (
        <span class="field-hint" id={`${name}-hint`}>
          {hint}
        </span>
      )}
    </>
  );
}

interface TextFieldProps extends FieldProps {
  placeholder?: string;
  inputmode?: "decimal" | "numeric";
  /** The id of a datalist with suggestions. */
  list?: string;
  isWide?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { label, name, value, hint, placeholder, inputmode, list, isWide = false } = props;
  const { problem, attributes } = described(props);
  return (
    <div class={isWide ? "field is-wide" : "field"}>
      <label for={`field-${name}`}>{label}</label>
      <input
        name={name}
        placeholder={placeholder}
        inputmode={inputmode}
        list={list}
        {...attributes}
        id={`field-${name}`}
        type="text"
        value={value ?? ""}
        maxlength={MOST_TYPED}
        autocomplete="off"
        spellcheck={false}
      />
      <Notes name={name} problem={problem} hint={hint} />
    </div>
  );
}

interface ChoiceFieldProps extends FieldProps {
  /** Value and words, in order. */
  options: readonly (readonly [value: string, words: string])[];
}

/** A value that none of the options has is offered as it is, so that what was asked stays visible. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { label, name, value = "", hint, options } = props;
  const { problem, attributes } = described(props);
  const isOffered = options.some(([one]) => one === value);
  const all = isOffered ? options : [...options, [value, value] as const];
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      <select name={name} {...attributes} id={`field-${name}`}>
        {all.map(([one, words]) => (
          <option value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
      <Notes name={name} problem={problem} hint={hint} />
    </div>
  );
}

/** How many rows a page has. */
export function LimitField({ request, errors, usual }: { request: ViewRequest; errors: FieldErrors; usual: number }) {
  return (
    <ChoiceField
      name="limit"
      errors={errors}
      value={request.query("limit") ?? String(usual)}
      label="On a page"
      options={["20", "50", "100"].map((limit) => [limit, limit] as const)}
    />
  );
}

interface FilterFormProps {
  request: ViewRequest;
  action: string;
  /** In words, for screen readers. */
  label: string;
  children?: Child;
}

/** Fields, and the block that is shown: what is asked by them stays at it. */
export function FilterForm({ request: { query }, action, label, children }: FilterFormProps) {
  return (
    <form class="fields" action={action} method="get" aria-label={label}>
      {["block", "at"].map(
        (name) => query(name) !== undefined && <input type="hidden" name={name} value={query(name)} />,
      )}
      {children}
      <button type="submit">Show</button>
    </form>
  );
}
