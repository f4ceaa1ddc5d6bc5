// A client that costs little: a fixed number of askers, each sending its next request as soon as it has the last answer.
import { Agent, request } from "node:http";

export interface Ask {
  url: string;
  /** POSTed as JSON, in turn; without it the request is a GET. */
  bodies?: readonly string[];
}

const send = ({ url, bodies }: Ask, agent: Agent, place = 0): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = bodies?.[place % bodies.length];
    const headers =
      body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asking = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    asking.on("error", reject);
    asking.end(body);
  });

/** One answer. */
export async function answerOf(ask: Ask): Promise<string> {
  const agent = new Agent({ keepAlive: false });
  try {
    return await send(ask, agent);
  } finally {
    agent.destroy();
  }
}

/** The same characters in any order will do: some servers write the fields of an object in the order in which they got them. */
const isSame = (answer: string, expected: string): boolean =>
  answer === expected ||
  (answer.length === expected.length && [...answer].sort().join("") === [...expected].sort().join(""));

/** Answers per second. @throws Error when one differs from `expected` */
export async function ratePerSecond(
  ask: Ask,
  { askers, ms, expected }: { askers: number; ms: number; expected: string },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: askers });
  const started = performance.now();
  const until = started + ms;
  let [requests, answers] = [0, 0];
  const one = async () => {
    while (performance.now() < until) {
      const answer = await send(ask, agent, requests++);
      if (!isSame(answer, expected))
        throw new Error(`${ask.url} answers otherwise than before: ${answer.slice(0, 500)}`);
      answers += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: askers }, one));
    return (answers * 1000) / (performance.now() - started);
  } finally {
    agent.destroy();
  }
}
