// Where a running product is, and who gets the key that the environment has for the gateway beside us.
import { expect, test } from "vitest";
import { productPlace } from "../../machine/product-place.ts";

const KEYS = "ours-of-sixteen-characters, second";

test.each([
  ["where the product usually is", {}, {}],
  ["at GATEWAY_URL", {}, { GATEWAY_URL: "https://our.index/api" }],
  ["at GATEWAY_URL, typed once more", { url: "https://our.index/" }, { GATEWAY_URL: "https://our.index" }],
  ["on another port of this machine", { url: "http://localhost:4001" }, {}],
  ["on this machine in IPv6", { url: "http://[::1]:4001" }, {}],
])("the first of API_KEYS is sent to the product %s", (_, typed, env) => {
  expect(productPlace(typed, { ...env, API_KEYS: KEYS }).key).toBe("ours-of-sixteen-characters");
});

test.each(["https://their.index", "http://127.0.0.1.their.index", "http://localhost.their.index"])(
  "no key of API_KEYS is sent to %s, which is somebody else's product",
  (url) => {
    const env = { GATEWAY_URL: "https://our.index", API_KEYS: KEYS };
    expect(productPlace({ url }, env)).toEqual({ url, key: undefined });
    expect(productPlace({ url, key: "theirs" }, env).key).toBe("theirs");
  },
);
