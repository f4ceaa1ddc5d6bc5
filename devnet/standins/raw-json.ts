// A number whose digits no double holds, in an answer.

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** What `JSON.stringify` writes as exactly these digits. @throws SyntaxError when they are no JSON */
export const exactNumber = (digits: string): unknown => rawJSON(digits);
