// The gateway from its roof to its ground. Folders that are on their way to another name stand under both.
import type { Floor } from "./layers.ts";

/** Protocols have a folder of their own each. */
export const gatewayFloors = (protocols: Iterable<string>): readonly Floor[] => [
  { name: "process", rooms: [["gateway/main.ts", "gateway/env.ts", "gateway/service.ts"]] },
  { name: "server", rooms: [["gateway/server.ts", "gateway/http/server.ts", "gateway/explorer/"]] },
  { name: "skins", rooms: [["gateway/rest/"], ["gateway/graphql/"]] },
  {
    name: "what every request passes",
    rooms: [["gateway/http/", "gateway/access/", "gateway/metrics/"]],
  },
  { name: "followers of the head", rooms: [["gateway/subscriptions/"], ["gateway/warm-up/"]] },
  { name: "questions", rooms: [["gateway/questions/", "gateway/operations/", "gateway/cursors.ts"]] },
  { name: "sums over facts, offers of others", rooms: [["gateway/analytics/"], ["gateway/aggregator/"]] },
  { name: "router", rooms: [["gateway/router/"]] },
  { name: "catalogue", rooms: [["gateway/catalogue/", "gateway/vaults/"], ["gateway/status/"]] },
  { name: "prices", rooms: [["gateway/prices/"]] },
  { name: "balances", rooms: [["gateway/balances/", "gateway/lookthrough/"]] },
  { name: "protocols", rooms: [["gateway/protocols/", ...[...protocols].map((name) => `gateway/${name}/`)]] },
  {
    name: "what protocols share",
    rooms: [
      [
        "gateway/lookthrough/behind.ts",
        "gateway/lookthrough/focus.ts",
        "gateway/lookthrough/held-as.ts",
        "gateway/lookthrough/ledger-at.ts",
        "gateway/lookthrough/ledger-texts.ts",
        "gateway/lookthrough/one-to-one.ts",
        "gateway/lookthrough/protocol.ts",
        "gateway/lookthrough/share.ts",
        "gateway/lookthrough/stake.ts",
      ],
    ],
  },
  { name: "request", rooms: [["gateway/context.ts"]] },
  { name: "history", rooms: [["gateway/history/", "gateway/ledger/"]] },
  { name: "cache", rooms: [["gateway/cache/"]] },
  {
    name: "ground",
    rooms: [
      [
        "gateway/block-point.ts",
        "gateway/carried.ts",
        "gateway/errors.ts",
        "gateway/metrics/instruments.ts",
        "gateway/numbers.ts",
        "gateway/parameters.ts",
      ],
    ],
  },
];
