// The figures of plans, from measured.json, which `npm run bench -- scale` writes.
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Figures } from "../core/sizing/figures.ts";

const figure = z.object({ value: z.number().nonnegative(), from: z.string(), run: z.string() });
const group = <Name extends string>(...names: Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, figure])) as Record<Name, typeof figure>);

const schema = z.object({
  runs: z.record(
    z.string(),
    z.object({ at: z.string(), command: z.string(), commit: z.string(), machine: z.string(), load: z.number() }),
  ),
  figures: z.object({
    postgres: group(
      ...(["rawBlock", "rawTransaction", "rawInputByte", "rawEvent"] as const),
      ...(["factBlock", "factTransfer", "factOther", "foldTransfer", "foldOther"] as const),
    ),
    lake: group("block", "transfer", "other", "closedInterval", "openInterval"),
    cpu: group("ponderBlock", "ponderEvent", "databaseBlock", "databaseEvent", "foldEvent"),
    requests: group(
      ...(["rangeSeconds", "perBlock", "headPerLogs", "rateUsed", "idlePerSecond", "callsPerToken"] as const),
      ...(["callsPerSetting", "startPerAddress", "nearHead", "livePerBlock", "perPoll"] as const),
    ),
    memory: group("ponder", "fold", "gateway", "database"),
    world: group(
      ...(["eventsPerBlock", "transferShare", "eventsPerTransaction", "inputBytes", "tokensPerTransfer"] as const),
      ...(["settingsPerEvent", "closedPerTransfer", "openPerTransfer"] as const),
    ),
  }),
});

type Measured = z.infer<typeof schema>;

/** @throws ZodError when a figure is missing: `npm run bench -- scale` writes them all */
export function readMeasured(): Measured {
  return schema.parse(JSON.parse(readFileSync(new URL("measured.json", import.meta.url), "utf8")));
}

const valuesOf = <Name extends string>(group: Record<Name, { value: number }>): Record<Name, number> =>
  Object.fromEntries(Object.entries<{ value: number }>(group).map(([name, { value }]) => [name, value])) as Record<
    Name,
    number
  >;

export const figuresOf = ({ figures }: Measured): Figures => ({
  postgres: valuesOf(figures.postgres),
  lake: valuesOf(figures.lake),
  cpu: valuesOf(figures.cpu),
  requests: valuesOf(figures.requests),
  memory: valuesOf(figures.memory),
  world: valuesOf(figures.world),
});
