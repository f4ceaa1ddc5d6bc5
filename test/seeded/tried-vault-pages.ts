// Pages of vaults, launches and quotes that browsers try, each state of them among these.
import type { Examples } from "./examples.ts";

export function vaultPages(root: string, examples: Examples) {
  const { island, launched, account, tokenIn, tokenOut } = examples;
  const pair = `tokenIn=${tokenIn}&tokenOut=${tokenOut}`;
  return [
    { name: "vaults", path: `${root}/vaults`, shows: "Total APR" },
    { name: "vaults-of-account", path: `${root}/vaults?user=${account}&orderBy=balance&block=1200`, shows: "staked" },
    { name: "vaults-none", path: `${root}/vaults?search=nothing-is-called-so`, shows: "No vault is left" },
    { name: "vaults-wrong", path: `${root}/vaults?user=0x1&minimumTvl=lots`, shows: "must be an amount", status: 400 },
    { name: "vault", path: `${root}/vault/${island}?user=${account}`, shows: "What stands behind its shares" },
    {
      name: "vault-missing",
      path: `${root}/vault/${account}`,
      shows: "There is no island and no v2 pair",
      status: 404,
    },
    { name: "launches", path: `${root}/launches`, shows: "Progress" },
    { name: "launches-none", path: `${root}/launches?addresses=${account}`, shows: "No launch is left" },
    { name: "launch", path: `${root}/launch/${launched}`, shows: "Who holds the token" },
    { name: "quote-blank", path: `${root}/quote`, shows: "Nothing is asked yet" },
    { name: "quote", path: `${root}/quote?${pair}&amount=1000`, shows: "Providers" },
    { name: "quote-past", path: `${root}/quote?${pair}&amount=100000&block=1200`, shows: "for the newest block alone" },
    { name: "quote-none", path: `${root}/quote?${pair}&amount=9${"0".repeat(40)}`, shows: "has a route", status: 404 },
    { name: "quote-wrong", path: `${root}/quote?${pair}&amount=much&slippage=99`, shows: "must be", status: 400 },
  ];
}
