// A subscriber over HTTP: a GraphQL subscription as server-sent events.
import { setTimeout as sleep } from "node:timers/promises";

export interface StreamResult {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

export interface EventStream {
  response: Response;
  /** Everything that has arrived. */
  results: StreamResult[];
  /** Whether the server has said that there is no more. */
  readonly isComplete: boolean;
  /** Resolves once `count` results are there. @throws Error after five seconds */
  upTo(count: number): Promise<StreamResult[]>;
  leave(): void;
}

/** Subscribed when it resolves: the answer's head comes after the chain was first read. */
export async function openEventStream(base: string, query: string, headers: HeadersInit = {}): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(`${base}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  });
  const results: StreamResult[] = [];
  let isComplete = false;
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
      const parts = (text + decoder.decode(chunk.value, { stream: true })).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const event = /^event: (.*)$/m.exec(part)?.[1];
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (event === "next" && data !== undefined) results.push(JSON.parse(data) as StreamResult);
        isComplete ||= event === "complete";
      }
    }
  };
  read().catch(() => {});
  return {
    response,
    results,
    get isComplete() {
      return isComplete;
    },
    async upTo(count) {
      for (let i = 0; i < 250 && results.length < count; i++) await sleep(20);
      if (results.length < count) throw new Error(`${results.length} of ${count} events: ${JSON.stringify(results)}`);
      return results;
    },
    leave: () => leaving.abort(),
  };
}
