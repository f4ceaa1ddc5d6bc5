// Which database server answered, where there are several, and why others did not.
import { Counter } from "prom-client";
import { registry } from "./instruments.ts";

/** `read`; `behind`: a replica without something it must have; `superseded`: a primary of before a promotion; `down`. */
export const databaseReads = new Counter({
  name: "tidemark_database_reads_total",
  help: "Servers that were to be read, by what became of it",
  labelNames: ["server", "outcome"],
  registers: [registry],
});
