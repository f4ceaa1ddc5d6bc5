// Where an account's amount of a token sat, and the way from the account to it: through what was held, and what that held.

import type { Address } from "../../parameters.ts";
import type { AccountBalancesPage } from "../../questions/account-balances.ts";
import type { KnownTokens } from "../known-tokens.ts";
import type { Subject } from "../place.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { shortAddress } from "./address.tsx";
import { StackedBar } from "./nested-shares.tsx";
import { Amount } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";
import { waysOfHolding } from "./source-kinds.ts";

type HeldSource = AccountBalancesPage["entries"][number]["sources"][number];

interface HeldThroughProps {
  request: ViewRequest;
  at: ShownBlock;
  amount: bigint;
  decimals: number | undefined;
  sources: readonly HeldSource[];
  /** For the names of shares on the way. */
  tokens: KnownTokens;
  made: string;
}

/** One bar; opened, every way with its amount. */
export function HeldThrough({ amount, sources, ...setting }: HeldThroughProps) {
  const [only] = sources;
  if (only?.kind === "balance" && sources.length === 1) return <span class="held">wallet</span>;
  const names = [...new Set(sources.map(({ kind }) => waysOfHolding[kind].name))];
  return (
    <details class="held">
      <summary>
        <span class="held-names">{names.join(", ")}</span>
        <StackedBar
          whole={amount}
          parts={sources.map((one) => ({
            kind: waysOfHolding[one.kind].colour,
            label: waysOfHolding[one.kind].name,
            amount: one.amount,
            shown: null,
          }))}
        />
      </summary>
      <ul class="ways">
        {sources.flatMap((source) => source.paths.map((way) => <Way {...setting} source={source} way={way} />))}
      </ul>
    </details>
  );
}

type WayProps = Omit<HeldThroughProps, "amount" | "sources"> & {
  source: HeldSource;
  way: HeldSource["paths"][number];
};

/** From the account to the token. */
function Way({ request, at, source, way, decimals, tokens, made }: WayProps) {
  const steps = [...way.path].reverse();
  return (
    <li>
      <Amount raw={way.amount} decimals={decimals} made={made} />{" "}
      <span class="quiet">{waysOfHolding[source.kind].name}:</span>{" "}
      {steps.map((asset, i) => (
        <>
          {i > 0 && <span class="quiet"> → </span>}
          <Step request={request} at={at} asset={asset} tokens={tokens} />
        </>
      ))}
    </li>
  );
}

/** `erc20:<token>`, `stake:<vault>`, `v3-position:<pool>:<manager>:<id>:<token>` */
function Step({ request, at, asset, tokens }: Pick<WayProps, "request" | "at" | "tokens"> & { asset: string }) {
  const [kind, address = "", manager, id] = asset.split(":");
  const block = request.isNewest ? undefined : at.block;
  const link = (subject: Subject, name: unknown) => (
    <a href={request.links.of(subject, address, { block })} title={address}>
      {name}
    </a>
  );
  if (kind === "erc20") {
    const symbol = tokens.get(address as Address)?.token.metadata?.symbol;
    return link("token", <ShownText text={symbol} most={16} fallback={shortAddress(address)} />);
  }
  if (kind === "stake") return <>stake in {link("account", shortAddress(address))}</>;
  const position = manager === "direct" ? "position" : `position #${id}`;
  return (
    <>
      {position} in pool {link("pool", shortAddress(address))}
    </>
  );
}
