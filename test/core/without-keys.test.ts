// What people are shown of addresses.
import { expect, it } from "vitest";
import { withoutKeys } from "../../core/without-keys.ts";

it.each([
  ["https://node.example/v2/SECRET", "https://node.example/…"],
  ["https://node.example?key=SECRET", "https://node.example/…"],
  ["https://node.example/@SECRET", "https://node.example/…"],
  ["https://user:SECRET@node.example:8545/", "https://node.example:8545/"],
  ["http://127.0.0.1:8545", "http://127.0.0.1:8545"],
  ["postgres://u:SECRET@h:5432/db", "postgres://h:5432/…"],
  ["postgres://u:SEC/RET@h/db", "postgres://h/…"],
  ["postgres://u:SEC@RET@h/db", "postgres://h/…"],
  ["postgres:///db?password=SECRET", "postgres:///…"],
  [
    'HTTP request failed. URL: https://n.example/SECRET Request body: {"id":1}',
    'HTTP request failed. URL: https://n.example/… Request body: {"id":1}',
  ],
  ["file:///src/a.ts:3 failed", "file:///src/a.ts:3 failed"],
])("shows %s as scheme, host and port", (text, shown) => {
  expect(withoutKeys(text)).toBe(shown);
});
