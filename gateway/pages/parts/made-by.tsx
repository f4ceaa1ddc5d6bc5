// How what a page shows was made: the queries that give it, and what checks it against the contracts.
import { Command } from "./command.tsx";

interface MadeByProps {
  /** Numbers lead here by `made={id}`. */
  id: string;
  /** What is made, e.g. `Holders`. */
  title: string;
  /** Of the page: queries go to the same server. */
  url: URL;
  /** Path and query of the REST root, e.g. `/balances/0x…?blockNumber=12`. */
  rest?: string | undefined;
  /** A whole GraphQL document; opened in GraphiQL. */
  graphql?: string | undefined;
  /** Arguments of `npm run verify --`, e.g. `--token 0x… --block 12`. */
  verify?: string | undefined;
  /** Where nothing checks it: what it follows from. */
  note?: string | undefined;
}

/** Of a GraphQL list, so that its query gives the same page; nothing for the first one. */
export const cursorArgument = (after: string | undefined): string =>
  after === undefined ? "" : `, after: ${JSON.stringify(after)}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const graphqlCurl = (origin: string, query: string): string =>
  `curl ${quoted(`${origin}/graphql`)} -H 'content-type: application/json' -d ${quoted(
    JSON.stringify({ query: query.replace(/\s+/g, " ").trim() }),
  )}`;

/** Closed until somebody asks; a link to a number's `made` opens it. */
export function MadeBy({ id, title, url: { origin }, rest, graphql, verify, note }: MadeByProps) {
  return (
    <details class="made">
      <summary>How this was made: {title}</summary>
      <div id={`made-${id}`} tabindex={-1}>
        {rest !== undefined && (
          <Query label="REST" command={`curl ${quoted(origin + rest)}`} href={rest} open="open the answer" />
        )}
        {graphql !== undefined && (
          <Query
            label="GraphQL"
            command={graphqlCurl(origin, graphql)}
            href={`/graphql?query=${encodeURIComponent(graphql.trim())}`}
            open="open in GraphiQL"
          />
        )}
        {verify !== undefined && (
          <p>
            <b>Checked against the contract</b> <Command run={`verify -- ${verify}`} />
          </p>
        )}
        {note !== undefined && <p>{note}</p>}
      </div>
    </details>
  );
}

interface QueryProps {
  label: string;
  command: string;
  href: string;
  open: string;
}

function Query({ label, command, href, open }: QueryProps) {
  return (
    <p>
      <b>{label}</b> <a href={href}>{open}</a>
      <code class="command">{command}</code>
    </p>
  );
}
