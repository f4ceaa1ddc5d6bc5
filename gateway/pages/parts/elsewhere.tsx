// A page asked for about what is something else: what it is, and where its own page is.
import type { Child } from "hono/jsx";
import type { Address } from "../../parameters.ts";
import type { Subject } from "../place.ts";
import { subjectNames } from "../subject-of.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";

interface ElsewhereProps {
  request: ViewRequest;
  /** The block that the page answers for; links are pinned to it where the page is. */
  at: Pick<ShownBlock, "block">;
  address: Address;
  /** What is there. */
  subject: Subject;
  /** Further sentences, e.g. why this page is empty. */
  children?: Child;
}

export function Elsewhere({ request, at, address, subject, children }: ElsewhereProps) {
  const block = request.isNewest ? undefined : at.block;
  return (
    <p class="hint">
      This address is {subjectNames[subject]}: <a href={request.links.of(subject, address, { block })}>its own page</a>.{" "}
      {children}
    </p>
  );
}
