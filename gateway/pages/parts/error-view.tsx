// An error as a page: what is wrong in words, its code, and ways out.
import type { GatewayError } from "../../errors.ts";
import { type Links, withQuery } from "../place.ts";
import { otherParameters } from "./block-bar.tsx";

/** What to do about it, by code; every other code says it in its own message. */
const ADVICE: Readonly<Record<string, string>> = {
  API_KEY_NEEDED:
    "This server answers only those who send a key, and a browser sends none by itself: ask the operator for access, or send the header with curl.",
  RATE_LIMITED:
    "You have asked more often than this server allows. Wait for the time given above, then load the page again.",
  TOKEN_NOT_TRACKED:
    "Check the address. A token is known from its first transfer on; look it up by symbol in the search above.",
  TOKEN_NOT_STANDARD:
    "What was recorded about this token contradicts itself, so nothing is shown rather than something wrong. See Status.",
  HISTORY_UNAVAILABLE: "Newer blocks can be shown meanwhile; the rest is for the operator.",
  HISTORY_DAMAGED: "Newer blocks can be shown meanwhile; the rest is for the operator.",
  INTERNAL: "Load the page again. If it stays, report it together with the request id below.",
};

/** By how it is answered, where the code has no advice of its own. */
const ADVICE_OF_STATUS: Readonly<Record<number, string>> = {
  400: "Change the address of the page, or use the search above.",
  404: "Use the search above, or begin at Home.",
  409: "Begin again from the first page, or at the newest block.",
  503: "The answer will exist: load the page again in a few seconds. Status shows how far the index is.",
};

interface ErrorViewProps {
  error: GatewayError;
  requestId: string | undefined;
  links: Links;
  url: URL;
}

export function ErrorView({ error, requestId, links, url }: ErrorViewProps) {
  const { status, code, message, retryAfterSeconds } = error;
  const advice = ADVICE[code] ?? ADVICE_OF_STATUS[status] ?? "Load the page again, or begin at Home.";
  const hasBlock = url.searchParams.has("block") || url.searchParams.has("at");
  return (
    <>
      <h1>This cannot be shown</h1>
      <p class="problem">{message}</p>
      <p>{advice}</p>
      <ul>
        {hasBlock && (
          <li>
            <a href={withQuery(url.pathname, otherParameters(url))}>The same page at the newest block</a>
          </li>
        )}
        {retryAfterSeconds !== undefined && (
          <li>
            <a href={url.pathname + url.search}>Load again</a> (after {retryAfterSeconds} s)
          </li>
        )}
        <li>
          <a href={links.home}>Home</a>
        </li>
        <li>
          <a href={links.to("status")}>Status</a>
        </li>
      </ul>
      <p class="quiet">
        HTTP {status} · <code>{code}</code>
        {requestId !== undefined && (
          <>
            {" "}
            · request <code>{requestId}</code>
          </>
        )}
      </p>
    </>
  );
}
