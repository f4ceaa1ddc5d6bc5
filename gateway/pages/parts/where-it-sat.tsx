// Where a token sat, as a picture that can be opened level by level: places, contracts, the ways through them.
import { byAmount, totalOf } from "../../../core/amounts.ts";
import type { Distribution } from "../../questions/distribution.ts";
import type { Subject } from "../place.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { AddressLink, shortAddress } from "./address.tsx";
import { NestedShares, type SharePart } from "./nested-shares.tsx";
import { Amount } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";
import { type PlaceOfTokens, placesOfTokens, reasonWords, type SourceKind, waysOfHolding } from "./source-kinds.ts";

/** Contracts shown of one kind; the others are summed up. */
const MOST_SHOWN = 12;

/** What the contract of each kind of holding is shown as. */
const SUBJECTS: Readonly<Partial<Record<SourceKind, Subject>>> = {
  "v2-pool": "pool",
  "v3-position": "pool",
  island: "vault",
};

type KindShare = Distribution["sources"][number];
type ContractShare = KindShare["contracts"][number];

interface WhereItSatProps {
  request: Pick<ViewRequest, "links" | "isNewest">;
  at: ShownBlock;
  sat: Distribution;
  caption: string;
  made: string;
}

export function WhereItSat({ request, at, sat, caption, made }: WhereItSatProps) {
  const { located, supply, sources, unattributed } = sat;
  const decimals = located.token.metadata?.decimals;
  const shown = (raw: bigint) => <Amount raw={raw} decimals={decimals} made={made} />;
  const block = request.isNewest ? undefined : at.block;
  const linkTo = (contract: string, kind?: SourceKind) =>
    request.links.of((kind && SUBJECTS[kind]) ?? "account", contract, { block });

  const partOfContract = (kind: SourceKind, { contract, symbol, amount, ways }: ContractShare): SharePart => ({
    kind: waysOfHolding[kind].colour,
    label: <Contract contract={contract} symbol={symbol} href={linkTo(contract, kind)} />,
    amount,
    shown: shown(amount),
    // a way through only one contract repeats that contract's own line
    parts: ways
      .filter(({ contracts }) => contracts.length > 1)
      .map((way) => ({
        kind: waysOfHolding[kind].colour,
        label: <Way contracts={way.contracts} />,
        amount: way.amount,
        shown: shown(way.amount),
      })),
  });

  const partsOfKind = ({ kind, amount, contracts, contractsCount }: KindShare): SharePart[] => {
    const listed = contracts.slice(0, MOST_SHOWN);
    const rest = amount - totalOf(listed);
    return [
      ...listed.map((contract) => partOfContract(kind, contract)),
      ...restOf(kind === "balance" ? 0n : rest, contractsCount - listed.length, shown),
    ];
  };

  const partOfPlace = ({ name, colour, kinds }: PlaceOfTokens): SharePart => {
    const held = sources.filter(({ kind }) => kinds.includes(kind));
    const amount = totalOf(held);
    const [only] = held;
    const parts =
      only && held.length === 1
        ? partsOfKind(only)
        : held.map((one) => ({
            kind: waysOfHolding[one.kind].colour,
            label: waysOfHolding[one.kind].name,
            amount: one.amount,
            shown: shown(one.amount),
            parts: partsOfKind(one),
          }));
    return { kind: colour, label: name, amount, shown: shown(amount), parts };
  };

  const ofReason = (reason: string): SharePart => {
    const left = unattributed.filter((one) => one.reason === reason).sort(byAmount);
    const listed = left.slice(0, MOST_SHOWN);
    const amount = totalOf(left);
    return {
      kind: reason === "launch-curve" ? "curve" : "unattributed",
      label: reasonWords[reason] ?? reason,
      amount,
      shown: shown(amount),
      parts: [
        ...listed.map(
          ({ contract, amount: ofContract }): SharePart => ({
            kind: "unattributed",
            label: <AddressLink address={contract} href={linkTo(contract)} />,
            amount: ofContract,
            shown: shown(ofContract),
          }),
        ),
        ...restOf(amount - totalOf(listed), left.length - listed.length, shown),
      ],
    };
  };

  const reasons = [...new Set(unattributed.map(({ reason }) => reason))].map(ofReason).sort(byAmount);
  const nobodys: SharePart = {
    kind: "unattributed",
    label: "Unattributed: no account can be named for it",
    amount: totalOf(unattributed),
    shown: shown(totalOf(unattributed)),
    parts: reasons,
  };
  const parts = [...placesOfTokens.map(partOfPlace), nobodys].filter(({ amount }) => amount > 0n);
  return <NestedShares whole={supply} caption={caption} parts={parts} made={made} />;
}

function restOf(amount: bigint, count: number, shown: (raw: bigint) => SharePart["shown"]): SharePart[] {
  if (amount <= 0n) return [];
  return [{ kind: "other", label: `${count.toLocaleString("en")} others together`, amount, shown: shown(amount) }];
}

interface ContractProps {
  contract: string;
  symbol: string | undefined;
  href: string;
}

function Contract({ contract, symbol, href }: ContractProps) {
  if (symbol === undefined || symbol.trim() === "") return <AddressLink address={contract} href={href} />;
  return (
    <a class="name" href={href} title={contract}>
      <ShownText text={symbol} most={24} /> <code class="address quiet">{shortAddress(contract)}</code>
    </a>
  );
}

/** The contracts passed, from where the token lies. */
function Way({ contracts }: { contracts: readonly string[] }) {
  return (
    <>
      lies in{" "}
      {contracts.map((contract, i) => (
        <>
          {i > 0 && " → "}
          <AddressLink address={contract} />
        </>
      ))}
    </>
  );
}
