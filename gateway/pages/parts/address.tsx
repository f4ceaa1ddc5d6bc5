// Addresses: short enough to read, complete in the title and when copied.
import type { Address } from "../../parameters.ts";
import type { Subject } from "../place.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { ShownText } from "./shown-text.tsx";

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

interface AddressLinkProps {
  address: string;
  href?: string | undefined;
  /** All 40 digits, where there is room. */
  isWhole?: boolean;
}

/** The address, as a link where there is a page about it. */
export function AddressLink({ address, href, isWhole = false }: AddressLinkProps) {
  const text = (
    <code class="address" title={address}>
      {isWhole ? address : shortAddress(address)}
    </code>
  );
  return href === undefined ? text : <a href={href}>{text}</a>;
}

interface NameLinkProps {
  request: Pick<ViewRequest, "links" | "isNewest">;
  subject: Subject;
  address: Address;
  symbol: string | undefined;
  /** What the page is about, where that is not the address itself. */
  about?: Address;
  /** Pins the link to the block, where the page itself is pinned. */
  at?: Pick<ShownBlock, "block"> | undefined;
}

/** A token, pool or vault by its symbol, with its address beside it: anybody can take any symbol. */
export function NameLink({ request, subject, address, symbol, about = address, at }: NameLinkProps) {
  const block = request.isNewest ? undefined : at?.block;
  return (
    <a class="name" href={request.links.of(subject, about, { block })} title={address}>
      <ShownText text={symbol} most={24} fallback="no symbol" />{" "}
      <code class="address quiet">{shortAddress(address)}</code>
    </a>
  );
}
