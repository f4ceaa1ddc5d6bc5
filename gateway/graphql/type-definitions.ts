// The public schema: what is written by hand, and what is made of the catalogue of facts (facts.graphql shows that).
import { readFileSync } from "node:fs";
import { factsSdl } from "../analytics/facts-sdl.ts";

const FILES = ["schema.graphql", "quote.graphql", "analytics.graphql", "pool-ranges.graphql", "rewards.graphql"];

const written = FILES.map((name) => readFileSync(new URL(`./${name}`, import.meta.url), "utf8"));

/** All of it as one text. */
export const typeDefinitions: string = [...written, factsSdl()].join("\n");
