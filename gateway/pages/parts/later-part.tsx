// A part of a page that has a page of its own: the script shows it here once it is there, and without script a link leads to it.
import type { Child } from "hono/jsx";

interface LaterPartProps {
  title: string;
  /** Of the page with the part. */
  href: string;
  /** What it shows. */
  children?: Child;
}

export function LaterPart({ title, href, children }: LaterPartProps) {
  return (
    <section>
      <h2>{title}</h2>
      <div data-later={href}>
        <p>
          <a href={href}>{children}</a>
        </p>
      </div>
    </section>
  );
}

/** What other pages take from this one. */
export function TakenPart({ children }: { children?: Child }) {
  return <div data-taken>{children}</div>;
}
