// Pages of the explorer on the seeded chain as texts, and what can be asked of them.
import { pino } from "pino";
import { expect } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { parsePlan } from "../../verify/arguments.ts";
import { explore } from "./pages.ts";
import { openSeededGateway, seededChain } from "./seeded-index.ts";

/** The path that all of them begin with. */
export const root: string = explore(seededChain().name);

export interface OpenedPages {
  /** `path` below {@link root}. */
  open(path: string): Promise<{ status: number; text: string }>;
  /** The data of a GraphQL document, which must be free of errors. */
  ask<T>(query: string): Promise<T>;
  /**
   * Every REST path and GraphQL document that the page leads to answers, `least` of them at least, and every verify command is
   * one. The arguments of these.
   */
  expectCommands(text: string, least: number): Promise<string[]>;
  close(): Promise<void>;
}

const unescaped = (text: string): string =>
  text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&gt;", ">");

/** What the page opens in GraphiQL and as REST answers. */
export const linksOpened = (text: string): string[] =>
  [...text.matchAll(/<a href="([^"]+)">open (?:the answer|in GraphiQL)/g)].map(([, href]) => unescaped(href!));

export const queryOf = (href: string): string | undefined => {
  const query = /^\/graphql\?query=(.*)$/s.exec(href)?.[1];
  return query === undefined ? undefined : decodeURIComponent(query);
};

/** Those of `values` that no number of the page has exactly. */
export function missing(text: string, values: readonly (string | null)[]): string[] {
  const shown = new Set([...text.matchAll(/<data [^>]*?value="([^"]*)"/g)].map(([, value]) => value!));
  return values.flatMap((value) => (value === null || shown.has(value) ? [] : [value]));
}

/** The caller closes it. */
export function openPages(): OpenedPages {
  const gateway = openSeededGateway();
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  return {
    async open(path) {
      const answer = await app.request(root + path, { headers: { accept: "text/html" } });
      return { status: answer.status, text: await answer.text() };
    },
    async ask<T>(query: string) {
      const { data, errors } = await gateway.graphql(query);
      expect(errors, query).toBeUndefined();
      return data as T;
    },
    async expectCommands(text, least) {
      const links = linksOpened(text);
      expect(links.length).toBeGreaterThanOrEqual(least);
      for (const href of links) {
        const query = queryOf(href);
        if (query === undefined) expect([href, (await gateway.get(href)).status]).toEqual([href, 200]);
        else expect((await gateway.graphql(query)).errors, query).toBeUndefined();
      }
      const checks = [...text.matchAll(/npm run verify -- ([^<]+)/g)].map(([, given]) => given!.trim());
      for (const given of checks) expect(parsePlan(given.split(" "))).not.toBe("help");
      return checks;
    },
    close: () => gateway.close(),
  };
}
