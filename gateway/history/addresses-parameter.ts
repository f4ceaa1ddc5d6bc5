// Addresses in a statement's parameter, so that its text stays the same for any addresses.
import { listParameter } from "./list-parameter.ts";

/** SQL of a list of addresses (bytea) for `in`, from parameter `$number`, which holds them with commas between. */
export const addressesParameter = (number: number): string =>
  `(select decode(substr(a, 3), 'hex') from unnest(${listParameter(number)}) a)`;
