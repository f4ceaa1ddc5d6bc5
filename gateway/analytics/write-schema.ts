// Writes gateway/graphql/facts.graphql: node gateway/analytics/write-schema.ts, then npm run fix
import { writeFileSync } from "node:fs";
import { factsSdl } from "./facts-sdl.ts";

writeFileSync(new URL("../graphql/facts.graphql", import.meta.url), factsSdl());
