// The gateway from its roof to its ground.
import type { Floor } from "./layers.ts";

export const gatewayFloors: readonly Floor[] = [
  { name: "process", rooms: [["gateway/main.ts", "gateway/env.ts", "gateway/service.ts"]] },
  { name: "server", rooms: [["gateway/server.ts", "gateway/graphiql/"]] },
  { name: "skins", rooms: [["gateway/rest/"], ["gateway/graphql/"], ["gateway/pages/"]] },
  { name: "what every request passes", rooms: [["gateway/http/", "gateway/metrics/"]] },
  { name: "followers of the head", rooms: [["gateway/subscriptions/"]] },
  { name: "questions", rooms: [["gateway/questions/"]] },
  { name: "sums over facts, offers of others", rooms: [["gateway/analytics/"], ["gateway/aggregator/"]] },
  { name: "router", rooms: [["gateway/router/"]] },
  { name: "catalogue", rooms: [["gateway/catalogue/"]] },
  { name: "prices", rooms: [["gateway/prices/"]] },
  { name: "averages", rooms: [["gateway/averages/"]] },
  { name: "balances", rooms: [["gateway/balances/"]] },
  { name: "protocols", rooms: [["gateway/protocols/"]] },
  { name: "what protocols share", rooms: [["gateway/backing/"]] },
  { name: "pools and positions of concentrated liquidity", rooms: [["gateway/concentrated/"]] },
  { name: "request", rooms: [["gateway/context.ts"]] },
  { name: "history", rooms: [["gateway/history/"]] },
  { name: "database", rooms: [["gateway/database/"]] },
  { name: "cache", rooms: [["gateway/cache/"]] },
  {
    name: "ground",
    rooms: [
      [
        "gateway/memo-per-object.ts",
        "gateway/errors.ts",
        "gateway/lake/",
        "gateway/instruments.ts",
        "gateway/numbers.ts",
        "gateway/parameters.ts",
        "gateway/plain-problem.ts",
        "gateway/quote-settings.ts",
        "gateway/sql/",
      ],
    ],
  },
];
