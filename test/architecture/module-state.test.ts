// Modules of the gateway and of core/ hold constants only.
import { describe, expect, it } from "vitest";
import { stateRules, violationsOf } from "./laws.ts";
import { moduleState } from "./module-state.ts";
import { projectTree, treeOf } from "./source-tree.ts";

const stateOf = (files: Record<string, string> | string, allowed: Record<string, string> = {}): string[] =>
  moduleState(treeOf(typeof files === "string" ? { "gateway/a.ts": files } : files), {
    under: ["gateway/", "core/"],
    allowed,
  });

describe("The law against state in modules", () => {
  it.each([
    ["a let", "let count = 0; export const next = () => ++count;", "count can be assigned to"],
    ["an exported let", "export let count = 0;", "count can be assigned to"],
    ["a var", "var seen = false;", "seen can be assigned to"],
    ["a Map that is filled", "const seen = new Map(); export const add = (a) => seen.set(a, 1);", "seen is changed"],
    ["a Set that is emptied", "const seen = new Set([1]); export const empty = () => seen.clear();", "seen is changed"],
    ["a WeakMap", "const of = new WeakMap();", "of holds a WeakMap"],
    ["a cache of a package", "const cache = new LRUCache({ max: 5 });", "cache holds a LRUCache"],
    ["an instance of a class of ours", "class Feeds {} export const feeds = new Feeds();", "feeds holds a Feeds"],
    ["an instance inside a constant", "export const parts = { agent: new HttpAgent() };", "parts holds a HttpAgent"],
    ["a list that grows", "const all = []; export const add = (a) => { all.push(a); };", "all is changed"],
    ["an object that gets a field", "const by = {}; export const put = (k) => { by[k] = 1; };", "by is changed"],
    ["a field that is deleted", "const by = { a: 1 }; export const cut = () => { delete by.a; };", "by is changed"],
    ["a nested count", "const n = { hits: 0 }; export const hit = () => { n.hits++; };", "n is changed"],
    ["Object.assign", "const by = {}; export const put = (o) => Object.assign(by, o);", "by is changed"],
    [
      "a Map in a Map",
      "const m = new Map([[1, new Map()]]); export const f = () => m.get(1)?.set(2, 3);",
      "m is changed",
    ],
    ["an object that changes itself", "export const one = { n: 0, hit() { this.n += 1; } };", "one is changed"],
    [
      "a field put on a function",
      "export function ask() {} export const f = () => { ask.last = 1; };",
      "ask is changed",
    ],
    ["a static that can be assigned to", "export class A { static count = 0; }", "count can be assigned to"],
  ])("finds %s", (_, text, found) => {
    expect(stateOf(text)).toEqual([`gateway/a.ts: ${found}`]);
  });

  it("finds a Map that is handed to somebody who might change it", () => {
    const text = "const all = new Map([[1, 2]]); export const f = () => fill(all);";
    const found = "gateway/a.ts: all is handed on to who might change it: give it a read-only type";
    expect(stateOf(text)).toEqual([found]);
    expect(stateOf(text.replace("all =", "all: ReadonlyMap<number, number> ="))).toEqual([]);
    expect(stateOf(`type Sums = ReadonlyMap<number, number>; ${text.replace("all =", "all: Sums =")}`)).toEqual([]);
  });

  it("finds a constant that another file changes, under whatever name it is imported", () => {
    const store = "export const all = [];";
    const use = (text: string) => ({ "core/store.ts": store, "gateway/use.ts": text });
    const found = ["core/store.ts: all is changed"];
    expect(stateOf(use('import { all } from "../core/store.ts"; all.push(1);'))).toEqual(found);
    expect(stateOf(use('import { all as list } from "../core/store.ts"; list.push(1);'))).toEqual(found);
    expect(stateOf(use('import * as store from "../core/store.ts"; store.all.push(1);'))).toEqual(found);
  });

  it("finds a static that is changed, a private one too, and through `this`", () => {
    for (const [text, name] of [
      ["export class A { static readonly all = new Map(); put() { A.all.set(1, 2); } }", "all"],
      ["export class A { static readonly #all = new Map(); put() { A.#all.set(1, 2); } }", "#all"],
      ["export class A { static readonly all = new Map(); static put() { this.all.set(1, 2); } }", "all"],
    ])
      expect(stateOf(text ?? "")).toContain(`gateway/a.ts: ${name} is changed`);
  });

  it("finds what a function keeps for its caller, also in another file and through another function", () => {
    const maker = `export function keepAnswers() {
      const stored = new Map();
      return { of: (key, work) => { if (!stored.has(key)) stored.set(key, work()); return stored.get(key); } };
    }
    export const counter = () => { let n = 0; return () => ++n; };
    export const named = (name) => keepAnswers(name);`;
    const use = (text: string) => stateOf({ "core/maker.ts": maker, "gateway/a.ts": text });
    const from = 'import { keepAnswers, counter, named } from "../core/maker.ts";';
    expect(use(`${from} const stored = keepAnswers();`)).toEqual([
      "gateway/a.ts: stored holds what keepAnswers() keeps",
    ]);
    expect(use(`${from} const next = counter();`)).toEqual(["gateway/a.ts: next holds what counter() keeps"]);
    expect(use(`${from} const stored = named("a");`)).toEqual(["gateway/a.ts: stored holds what named() keeps"]);
    expect(use(`${from} const by = { a: keepAnswers() };`)).toEqual([
      "gateway/a.ts: by holds what keepAnswers() keeps",
    ]);
    expect(use("const next = (() => { let n = 0; return () => ++n; })();")).toEqual([
      "gateway/a.ts: next holds what a function keeps",
    ]);
    const wrapped = "const f = () => { let n = 0; return wrap(() => ++n); }; const next = f();";
    expect(use(wrapped)).toEqual(["gateway/a.ts: next holds what f() keeps"]);
  });

  it.each([
    ["texts and numbers", 'const MOST = 5; export const NAME = "a";'],
    ["a list that is only read", "const all = [1, 2]; export const f = () => all.map((a) => a + 1);"],
    ["a Map that is only read", "const by = new Map([[1, 2]]); export const f = (a) => by.get(a) ?? [...by.keys()];"],
    ["a local of the same name", "const all = []; export const f = () => { const all = []; all.push(1); };"],
    ["a parameter of the same name", "const by = {}; export const f = (by) => { by.a = 1; };"],
    ["a property of the same name", "const all = []; export const f = (o) => o.all.push(1);"],
    [
      "what is made anew for each call",
      "export const f = () => { const seen = new Set(); seen.add(1); return seen; };",
    ],
    ["a pattern and a URL", 'const path = /a/; const place = new URL("a", import.meta.url);'],
    [
      "a value that a function worked out",
      "const sum = (list) => { let n = 0; list.forEach((a) => { n += a; }); return n; }; export const three = sum([1, 2]);",
    ],
    ["instance fields of a class", "export class A { #all = new Map(); put() { this.#all.set(1, 2); } }"],
  ])("takes no offence at %s", (_, text) => {
    expect(stateOf(text)).toEqual([]);
  });

  it("leaves other parts alone, and what is allowed by name", () => {
    expect(stateOf({ "scripts/a.ts": "let count = 0;" })).toEqual([]);
    const text = "let count = 0; let other = 0;";
    expect(stateOf(text, { "gateway/a.ts: count": "it counts" })).toEqual(["gateway/a.ts: other can be assigned to"]);
    expect(stateOf(text, { "gateway/a.ts": "the program" })).toEqual([]);
  });

  it("leaves instruments alone where they belong, by their class, and nothing else there", () => {
    const metrics = `export const reads = new Counter({}); reads.inc(); const open = new Set(); open.add(1);`;
    const rules = {
      ...{ under: ["gateway/"], allowed: {} },
      instruments: { under: ["gateway/metrics/"], classes: ["Counter"] },
    };
    expect(moduleState(treeOf({ "gateway/metrics/a.ts": metrics }), rules)).toEqual([
      "gateway/metrics/a.ts: open is changed",
    ]);
    expect(moduleState(treeOf({ "gateway/a.ts": "const reads = new Counter({});" }), rules)).toEqual([
      "gateway/a.ts: reads holds a Counter",
    ]);
  });

  it("allows the project nothing that needs no allowance", () => {
    const { allowed, ...rules } = stateRules;
    const found = moduleState(projectTree(), { ...rules, allowed: {} });
    expect(Object.keys(allowed).filter((place) => !found.some((one) => one.startsWith(place)))).toEqual([]);
  });

  it("is broken by no module of the project", () => {
    expect(violationsOf("module-state")).toEqual([]);
  });
});
