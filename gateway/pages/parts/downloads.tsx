// All holders as files: what the server gives as it stands, and the command that writes the rest.
import type { TokenAt } from "../../questions/tokens.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";

interface DownloadsProps {
  request: Pick<ViewRequest, "chain">;
  at: ShownBlock;
  token: TokenAt["token"];
}

export function Downloads({ request: { chain }, at: { block }, token: { address } }: DownloadsProps) {
  const file = `holders-${address}-${block}`;
  const rows = (format: string) =>
    `/balances/${address}?blockNumber=${block}&chainId=${chain.chainId}&format=${format}`;
  const command = (rest: string) => `npm run snapshot -- --token ${address} --block ${block} --out ${rest}`;
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
        </a>
      </p>
      <details>
        <summary>Parquet, and a Merkle tree with everybody's proof</summary>
        <p>These are written where the index is, as building them takes longer than a request may:</p>
        <p>
          <b>Parquet</b>
          <code class="command">{command(`${file}.parquet`)}</code>
        </p>
        <p>
          <b>Merkle</b>, for OpenZeppelin's MerkleProof, beside the CSV as <code>.merkle.json</code>
          <code class="command">{command(`${file}.csv --merkle`)}</code>
        </p>
      </details>
    </section>
  );
}
