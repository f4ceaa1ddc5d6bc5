// JSON whose numbers keep all their digits: amounts of tokens are larger than a double can count.

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const revive = (text: string, onNumber: (digits: string) => unknown): unknown => {
  const reviver: Reviver = (_key, value, { source }) =>
    typeof value === "number" && source !== undefined ? onNumber(source) : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
};

/** Every number becomes the text it is written as. @throws SyntaxError */
export const parseExactJson = (text: string): unknown => revive(text, (digits) => digits);

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A value that `JSON.stringify` writes with the very digits it was read with. @throws SyntaxError */
export const parseFaithfulJson = (text: string): unknown => revive(text, (digits) => rawJSON(digits));
