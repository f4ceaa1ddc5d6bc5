// All providers of quotes side by side: what each offers, or in words why it does not.
import type { QuoteTerms } from "../quote-terms.ts";
import type { ProviderRow } from "../shown-quote.ts";
import { DataTable } from "./data-table.tsx";
import { ShownNumber, Unknown } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";

/** By status, as the API names them. */
const WORDS: Readonly<Record<string, string>> = {
  success: "answered",
  no_route: "has no route for this pair and amount",
  timeout: "did not answer in time",
  error: "failed",
  rate_limited: "was not asked: it allows no more requests just now",
  unsupported: "does not quote this kind of swap",
  skipped: "was not asked",
  "newest-only": "answers for the newest block alone, never for a past one",
};

interface ProviderTableProps {
  providers: readonly ProviderRow[];
  /** Whose offer is shown above. */
  best: string | undefined;
  terms: QuoteTerms;
  made: string;
}

export function ProviderTable({ providers, best, terms, made }: ProviderTableProps) {
  const isExactIn = terms.type === "exactIn";
  const { symbol } = isExactIn ? terms.tokenOut : terms.tokenIn;
  const columns = [
    { head: "Provider" },
    { head: isExactIn ? "Gives" : "Takes", isNumber: true },
    { head: "Gas, units", isNumber: true },
    { head: "Time, ms", isNumber: true },
  ];
  const rows = providers.map(({ name, status, output, gas, milliseconds, message }) => {
    const why = WORDS[status] ?? status;
    return [
      <>
        <ShownText text={name} most={24} /> {name === best && <span class="badge">best</span>}
        <span class="below">
          <Became why={why} message={message} />
        </span>
      </>,
      output === undefined ? (
        <Unknown why={why} />
      ) : (
        <>
          <ShownNumber exact={output} made={made} /> <ShownText text={symbol} most={16} fallback="tokens" />
        </>
      ),
      gas === undefined ? <Unknown why={why} /> : <ShownNumber exact={gas} made={made} />,
      milliseconds === undefined ? (
        <Unknown why={status === "success" ? "not timed at past blocks" : why} />
      ) : (
        <data value={milliseconds}>{milliseconds}</data>
      ),
    ];
  });
  return (
    <DataTable
      columns={columns}
      rows={rows}
      caption="Providers side by side"
      empty="Nobody was asked: the chain file names no provider."
    />
  );
}

function Became({ why, message }: { why: string; message: string | undefined }) {
  if (message === undefined) return <>{why}</>;
  return (
    <>
      {why}: <ShownText text={message} most={200} />
    </>
  );
}
