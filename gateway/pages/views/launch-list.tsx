// Tokens launched on a curve, newest first, by the filters and pages of GET /launch/<chain>/tokens.
import { addressList, MOST_PER_PAGE, parseInput, splitList, wholeNumber } from "../../parameters.ts";
import { type LaunchesInput, launchesPage } from "../../questions/launches.ts";
import { FieldErrors } from "../field-errors.ts";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { Pager } from "../parts/data-table.tsx";
import { ChoiceField, FilterForm, LimitField, TextField } from "../parts/form-field.tsx";
import { LaunchTable } from "../parts/launch-table.tsx";
import { cursorArgument, MadeBy } from "../parts/made-by.tsx";
import { withQuery } from "../place.ts";
import { flagIn, integerIn } from "../typed.ts";
import { atBlock, type ShownBlock, type View, type ViewRequest } from "../view.ts";

const USUAL_LIMIT = 20;
const MOST_ON_A_PAGE = 100;
const MOST_PAGES = 1_000_000;

const limitShape = wholeNumber(1, MOST_ON_A_PAGE);
const pageShape = wholeNumber(1, MOST_PAGES);

interface Wanted extends Pick<LaunchesInput, "addresses" | "graduated"> {
  limit: number;
  page: number;
}

async function wantedIn(request: ViewRequest, errors: FieldErrors): Promise<Wanted> {
  const { query } = request;
  const listed = query("addresses");
  const addresses =
    listed === undefined
      ? undefined
      : await errors.of(() => parseInput(addressList, splitList(listed, "addresses"), "addresses"));
  return {
    addresses,
    graduated: await errors.of(() => flagIn(request, "graduated")),
    limit:
      (await errors.of(() => parseInput(limitShape, integerIn(request, "limit", USUAL_LIMIT), "limit"))) ?? USUAL_LIMIT,
    page: (await errors.of(() => parseInput(pageShape, integerIn(request, "page", 1), "page"))) ?? 1,
  };
}

export async function launches(request: ViewRequest): Promise<View> {
  const { ask, block, chain, url } = request;
  const errors = new FieldErrors({ addresses: "addresses", graduated: "graduated", limit: "limit", page: "limit" });
  const { addresses, graduated, limit, page } = await wantedIn(request, errors);
  const title = "Launches";
  const intro = (
    <>
      <h1>Launches</h1>
      <p class="quiet lead">
        Tokens sold along a curve until all of it is sold; then what is left and what was raised become a v2 pair, and
        the launch has graduated.
      </p>
    </>
  );
  if (errors.areThere)
    return {
      title,
      status: 400,
      main: (
        <>
          {intro}
          <LaunchFilters request={request} errors={errors} />
          <p class="problem">Nothing is listed: one of the fields above is not right.</p>
        </>
      ),
    };
  const skip = (page - 1) * limit;
  const found = await ask(launchesPage, { block, addresses, graduated, first: limit, skip });
  const at = found.point;
  const marks = await readMarks(request);
  const to = (next: number) =>
    request.links.to("launches", { ...typed(request), page: next === 1 ? undefined : next, block: at.block });
  const shown = found.entries.length === 0 ? "" : `, ${skip + 1} to ${skip + found.entries.length} shown`;
  const main = (
    <>
      {intro}
      <BlockBar request={request} at={at} marks={marks} />
      <LaunchFilters request={request} errors={errors} />
      <LaunchTable
        request={request}
        at={at}
        launches={found.entries}
        caption="Launches, newest first"
        empty="No launch is left by these filters at this block, or this is beyond the last page."
        made="launches"
      />
      <Pager
        total={`${found.totalCount.toLocaleString("en")} ${found.totalCount === 1 ? "launch" : "launches"}${shown}`}
        first={page === 1 ? undefined : to(1)}
        next={found.hasNextPage ? to(page + 1) : undefined}
      />
      <MadeBy
        id="launches"
        title="launches"
        url={url}
        // what only GraphQL has cannot be said in REST: a block, and whether they have graduated
        rest={
          request.isNewest && graduated === undefined
            ? withQuery(`/launch/${chain.chainId}/tokens`, { limit, page, addresses: addresses?.join(",") })
            : undefined
        }
        graphql={await graphqlOf(request, at, { addresses, graduated, first: limit, skip })}
        verify={found.entries[0] && `--token ${found.entries[0].token.address} --block ${at.block}`}
        note="REST answers for the newest block alone. Prices, reserves and progress are the last of each curve's own events; holders are counted in the token's history."
      />
    </>
  );
  return { title, main, at };
}

const typed = ({ query }: ViewRequest): Record<string, string | undefined> =>
  Object.fromEntries(["addresses", "graduated", "limit"].map((name) => [name, query(name)]));

type ShownPage = Pick<LaunchesInput, "addresses" | "graduated" | "first"> & { skip: number };

/** The query of everything up to the end of the page; of the page alone where that is more than GraphQL gives at once. */
async function graphqlOf(
  { ask, chain }: ViewRequest,
  at: ShownBlock,
  { addresses, graduated, first, skip }: ShownPage,
): Promise<string | undefined> {
  const filters = [
    ...(addresses === undefined ? [] : [`addresses: ${JSON.stringify(addresses)}`]),
    ...(graduated === undefined ? [] : [`graduated: ${graduated}`]),
  ];
  const place = [...filters, `block: { number: ${at.block} }`, `chainId: ${chain.chainId}`].join(", ");
  let page = `first: ${skip + first}`;
  if (skip + first > MOST_PER_PAGE) {
    const before = { block: atBlock(at), addresses, graduated, first: 1, skip: skip - 1 };
    const [last] = (await ask(launchesPage, before)).entries;
    if (!last) return undefined;
    page = `first: ${first}${cursorArgument(last.cursor)}`;
  }
  return `{ launches(${place}, ${page}) { totalCount nodes { pool token { address symbol } createdAt graduated priceUSD raisedDecimal progress holdersCount } } }`;
}

function LaunchFilters({ request, errors }: { request: ViewRequest; errors: FieldErrors }) {
  const { links, query } = request;
  const field = (name: string) => ({ name, errors, value: query(name) });
  return (
    <FilterForm request={request} action={links.to("launches")} label="Filters">
      <TextField
        {...field("addresses")}
        label="Only these"
        placeholder="0x…, 0x…"
        hint="Addresses of tokens or pools, with commas between them"
        isWide
      />
      <ChoiceField
        {...field("graduated")}
        label="Graduated"
        options={[
          ["", "or not"],
          ["true", "only graduated"],
          ["false", "only on their curve"],
        ]}
      />
      <LimitField request={request} errors={errors} usual={USUAL_LIMIT} />
    </FilterForm>
  );
}
