// A number in an answer with more digits than a double can hold.

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A value that `JSON.stringify` writes as exactly these digits. @throws SyntaxError when they are not valid JSON */
export const exactNumber = (digits: string): unknown => rawJSON(digits);
