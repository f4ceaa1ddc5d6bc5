// One account at a block: everything it had, through what, over time, and its Uniswap v3 positions.
import { ZERO_ADDRESS } from "../../../core/zero-address.ts";
import { type Address, address as addressShape, parseInput, wholeNumber } from "../../parameters.ts";
import { type AccountBalancesPage, accountBalances } from "../../questions/account-balances.ts";
import { accountHistory } from "../account-history.ts";
import { type AccountWorth, type WorthyEntry, worthByKind, worthiest } from "../account-worth.ts";
import { type KnownTokens, knownTokens } from "../known-tokens.ts";
import { AccountHistory } from "../parts/account-history.tsx";
import { AddressLink, NameLink } from "../parts/address.tsx";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { DataTable, Empty, Pager } from "../parts/data-table.tsx";
import { Elsewhere } from "../parts/elsewhere.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { HeldThrough } from "../parts/held-through.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { NestedShares } from "../parts/nested-shares.tsx";
import { Amount, Count, Usd } from "../parts/shown-number.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { waysOfHolding } from "../parts/source-kinds.ts";
import { subjectOf } from "../subject-of.ts";
import { integerIn } from "../typed.ts";
import { atBlock, type ShownBlock, type View, type ViewRequest } from "../view.ts";
import { positionList } from "./position-list.tsx";

/** By address; of accounts with more, only these. */
const TOKENS_READ = 1_000;
const PER_PAGE = 50;
/** Of one way of holding, in the picture. */
const HOLDINGS_SHOWN = 50;
/** Where what lies at the address is counted elsewhere. */
const NOBODYS = "Nothing: see above.";

export async function account(request: ViewRequest): Promise<View> {
  const { ask, block, links, param, query } = request;
  const address = parseInput(addressShape, param("address"), "address");
  const page = parseInput(wholeNumber(1, 1_000_000), integerIn(request, "page", 1), "page");
  const chosen = query("token") === undefined ? undefined : parseInput(addressShape, query("token"), "token");
  const held = await ask(accountBalances, { account: address, block, first: TOKENS_READ });
  const at = held.point;
  const subject = await subjectOf(request, { address, block: atBlock(at) });
  const tokens = await knownTokens(request, at, [
    ...held.entries.map(({ token }) => token.address),
    ...(chosen === undefined ? [] : [chosen]),
  ]);
  const entries = worthiest(held.entries, tokens);
  const isNobodys = address === ZERO_ADDRESS;
  // of the zero address balances say 0, whatever lies there
  const drawn = isNobodys ? undefined : tokens.get(chosen ?? entries[0]?.token.address ?? "0x")?.token;
  const points = drawn && (await accountHistory(request, at, { token: drawn, account: address }));
  const positions =
    request.chain.v3 &&
    (await positionList(request, {
      at,
      of: { owner: address },
      caption: "Uniswap v3 positions of the account",
      empty: "It had no v3 position that was worth anything at this block.",
      linkTo: (after) =>
        links.of("account", address, { block: at.block, token: query("token"), page: query("page"), after }),
    }));
  const marks = await readMarks(request);
  const main = (
    <>
      <h1>
        Account <AddressLink address={address} isWhole />
      </h1>
      <BlockBar request={request} at={at} marks={marks} />
      {subject !== "account" && (
        <Elsewhere request={request} at={at} address={address} subject={subject}>
          {held.isIssuer && "What it holds counts for the holders of what it has issued; it has nothing itself."}
        </Elsewhere>
      )}
      {held.isIssuer && subject === "account" && (
        <p class="hint">
          This contract has issued claims on what it holds. Its holdings are counted for the owners of these claims: it
          has nothing itself.
        </p>
      )}
      {isNobodys && (
        <p class="hint">
          The zero address is nobody's account. What lies there is not listed here: the page of each token shows its
          part that does, as unattributed.
        </p>
      )}
      <Worth
        request={request}
        at={at}
        address={address}
        held={held}
        tokens={tokens}
        worth={worthByKind(entries, tokens)}
      />
      <h2>Every token it had</h2>
      <Tokens request={request} at={at} address={address} held={held} entries={entries} tokens={tokens} page={page} />
      <h2 id="history">History</h2>
      {drawn && points ? (
        <AccountHistory request={request} at={at} account={address} entries={entries} token={drawn} points={points} />
      ) : (
        <Empty>{isNobodys ? NOBODYS : "It had no token at this block; choose another block above."}</Empty>
      )}
      <h2>Uniswap v3 positions</h2>
      {positions ?? <p class="empty">This chain has no v3 pools.</p>}
    </>
  );
  return { title: `Account ${address}`, main, at };
}

interface HeldProps {
  request: ViewRequest;
  at: ShownBlock;
  address: Address;
  held: AccountBalancesPage;
  tokens: KnownTokens;
}

function Worth({ request, at, address, held, worth: { worth, kinds, unpriced } }: HeldProps & { worth: AccountWorth }) {
  const { chain, isNewest, links, url } = request;
  const block = isNewest ? undefined : at.block;
  const facts = [
    ["Worth", <Usd usd={worth} made="worth" />],
    ["Tokens", <Count count={held.totalCount} made="account" />],
  ] as const;
  return (
    <>
      {held.totalCount > 0 && <FactList facts={facts} />}
      {worth !== undefined && worth > 0n && (
        <NestedShares
          whole={worth}
          caption={`Where its worth sat at block ${at.block.toLocaleString("en")}`}
          parts={kinds.map(({ kind, worth: amount, holdings }) => ({
            kind: waysOfHolding[kind].colour,
            label: waysOfHolding[kind].name,
            amount,
            shown: <Usd usd={amount} made="worth" />,
            parts: holdings.slice(0, HOLDINGS_SHOWN).map(({ entry, source, worth: part }) => ({
              kind: waysOfHolding[kind].colour,
              label: (
                <NameLink
                  request={request}
                  at={at}
                  subject="token"
                  address={entry.token.address}
                  symbol={entry.token.metadata?.symbol}
                />
              ),
              amount: part,
              shown: (
                <>
                  <Amount raw={source.amount} decimals={entry.token.metadata?.decimals} made="account" /> ={" "}
                  <Usd usd={part} made="account" />
                </>
              ),
            })),
          }))}
        />
      )}
      {unpriced > 0 && (
        <p class="quiet">{`${unpriced} of its tokens ${unpriced === 1 ? "has" : "have"} no price at this block: what they are worth is not in it.`}</p>
      )}
      {held.hasNextPage && (
        <p class="quiet">{`It had ${held.totalCount.toLocaleString("en")} tokens: the first ${TOKENS_READ.toLocaleString("en")} by address are shown and summed up.`}</p>
      )}
      {held.incomplete.length > 0 && (
        <p class="problem">
          What comes through these contracts is missing, as their holdings cannot be attributed to accounts:{" "}
          {held.incomplete.map((contract) => (
            <>
              <AddressLink address={contract} href={links.of("account", contract, { block })} />{" "}
            </>
          ))}
        </p>
      )}
      {held.totalCount > 0 && (
        <MadeBy
          id="worth"
          title="the sum"
          url={url}
          graphql={`{ account(address: "${address}", block: { number: ${at.block} }, chainId: ${chain.chainId}) { balances(first: ${TOKENS_READ}) { nodes { token { address symbol } total totalDecimal } } }${pricesQuery(held, { block: at.block, chainId: chain.chainId })} }`}
          note="Every amount times the token's price, added up. Shares of pools and vaults (priceStrategy vault, or none where something behind them has no price) are left out: what is behind them is counted."
        />
      )}
      <MadeBy
        id="account"
        title="what it had"
        url={url}
        graphql={`{ account(address: "${address}", block: { number: ${at.block} }, chainId: ${chain.chainId}) { balances(first: ${TOKENS_READ}) { totalCount replacedBy incomplete nodes { token { address symbol } total totalDecimal sources { source value valueDecimal contract positionId principal fees paths { assets value valueDecimal } } } } }${pricesQuery(held, { block: at.block, chainId: chain.chainId })} }`}
        verify={`--exit ${address} --block ${at.block}`}
        note="USD are an amount times the token's price at the block, rounded down. The check takes everything out for real, on a copy of the chain."
      />
    </>
  );
}

/** Prices of the account's tokens, as a further field of a document. */
function pricesQuery({ entries }: AccountBalancesPage, { block, chainId }: { block: number; chainId: number }): string {
  if (entries.length === 0) return "";
  const addresses = JSON.stringify(entries.map(({ token }) => token.address));
  return ` tokenPrices(addresses: ${addresses}, block: { number: ${block} }, chainId: ${chainId}) { id priceStrategy price { usd } }`;
}

type TokensProps = HeldProps & { entries: readonly WorthyEntry[]; page: number };

function Tokens({ request, at, address, held, entries, tokens, page }: TokensProps) {
  const { isNewest, links, query } = request;
  const columns = [
    { head: "Token" },
    { head: "Name" },
    { head: "Price", isNumber: true },
    { head: "Amount", isNumber: true },
    { head: "Value", isNumber: true },
    { head: "Through" },
    { head: "History" },
  ];
  const shown = entries.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const block = isNewest ? undefined : at.block;
  const rows = shown.map(({ token, amount, sources, worth }) => [
    <NameLink request={request} at={at} subject="token" address={token.address} symbol={token.metadata?.symbol} />,
    <ShownText text={token.metadata?.name} />,
    <Usd usd={tokens.get(token.address)?.price?.usd} made="account" />,
    <Amount raw={amount} decimals={token.metadata?.decimals} made="account" />,
    <Usd usd={worth} made="account" />,
    <HeldThrough
      request={request}
      at={at}
      amount={amount}
      sources={sources}
      tokens={tokens}
      decimals={token.metadata?.decimals}
      made="account"
    />,
    <a href={`${links.of("account", address, { block, token: token.address, page: query("page") })}#history`}>chart</a>,
  ]);
  const of = (number: number) =>
    links.of("account", address, { block: at.block, token: query("token"), page: number === 1 ? undefined : number });
  return (
    <>
      <DataTable
        columns={columns}
        rows={rows}
        caption="Every token the account had, most valuable first"
        empty={
          page > 1
            ? "There is nothing on this page."
            : held.isIssuer || address === ZERO_ADDRESS
              ? NOBODYS
              : "It had no token at this block, neither in its wallet nor through any contract that is looked through."
        }
      />
      {(entries.length > PER_PAGE || page > 1) && (
        <Pager
          total={`${entries.length.toLocaleString("en")} tokens, page ${page} of ${Math.max(1, Math.ceil(entries.length / PER_PAGE))}`}
          first={page > 1 ? of(1) : undefined}
          next={page * PER_PAGE < entries.length ? of(page + 1) : undefined}
        />
      )}
    </>
  );
}
