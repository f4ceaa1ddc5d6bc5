// Writes gateway/graphql/facts.graphql: node gateway/analytics/write-schema.ts
import { writeFileSync } from "node:fs";
import { factsSdl } from "./facts-sdl.ts";

writeFileSync(new URL("../graphql/facts.graphql", import.meta.url), factsSdl());
