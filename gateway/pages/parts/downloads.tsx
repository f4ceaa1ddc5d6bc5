// All holders as files, as the server gives them; trees that are too large for a request as the command that writes them.
import { MOST_CLAIMS } from "../../questions/claims.ts";
import type { TokenAt } from "../../questions/tokens.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { Command } from "./command.tsx";

interface DownloadsProps {
  request: Pick<ViewRequest, "chain">;
  at: ShownBlock;
  token: TokenAt["token"];
  holders: number;
}

/** Nothing where nobody holds the token. */
export function Downloads({ request: { chain }, at: { block }, token: { address }, holders }: DownloadsProps) {
  if (holders === 0) return null;
  const file = `holders-${address}-${block}`;
  const place = `blockNumber=${block}&chainId=${chain.chainId}`;
  const rows = (format: string) => `/balances/${address}?${place}&format=${format}`;
  return (
    <section class="downloads">
      <h3>All holders as a file</h3>
      <p>
        <a href={rows("csv")} download={`${file}.csv`}>
          CSV
        </a>{" "}
        ·{" "}
        <a href={rows("ndjson")} download={`${file}.ndjson`}>
          JSON, a line for each
        </a>{" "}
        ·{" "}
        <a href={rows("parquet")} download={`${file}.parquet`}>
          Parquet
        </a>
        {holders <= MOST_CLAIMS && (
          <>
            {" "}
            ·{" "}
            <a href={`/balances/${address}/merkle?${place}`} download={`${file}.merkle.json`}>
              Merkle tree with everybody's proof
            </a>
          </>
        )}
      </p>
      {holders > MOST_CLAIMS && (
        <p>
          A Merkle tree of more than {MOST_CLAIMS.toLocaleString("en")} holders takes longer than a request may. Write
          it where the index is:
          <Command run={`snapshot -- --token ${address} --block ${block} --out ${file}.csv --merkle`} />
        </p>
      )}
    </section>
  );
}
