// Tables that scroll in a box of their own, and the links to their next pages.
import type { Child } from "hono/jsx";

interface Column {
  head: string;
  /** Right-aligned, figures of one width. */
  isNumber?: boolean;
}

interface DataTableProps {
  /** Names the table for screen readers; it is not shown. */
  caption: string;
  columns: readonly Column[];
  /** Cells in the order of the columns; the first one is the row's head. */
  rows: readonly (readonly Child[])[];
  /** In words, where there are no rows. */
  empty: string;
}

export function DataTable({ caption, columns, rows, empty }: DataTableProps) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const kind = (i: number) => (columns[i]?.isNumber ? "is-number" : undefined);
  return (
    // reachable by keyboard, as it scrolls
    <section class="scroll" aria-label={caption} tabindex={0}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head }, i) => (
              <th scope="col" class={kind(i)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells]) => (
            <tr>
              <th scope="row" class={kind(0)}>
                {first}
              </th>
              {cells.map((cell, i) => (
                <td class={kind(i + 1)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What is shown where there is nothing to show. */
export function Empty({ children }: { children?: Child }) {
  return <p class="empty">{children}</p>;
}

interface PagerProps {
  /** How many there are on all pages, with their name: `312 holders`. */
  total: string;
  /** Undefined on the first page. */
  first?: string | undefined;
  /** Undefined on the last page. */
  next?: string | undefined;
}

/** Pages go forward by cursors; back is what the browser's button is for. */
export function Pager({ total, first, next }: PagerProps) {
  return (
    <nav class="pager" aria-label="Pages">
      <span>{total}</span>
      {first !== undefined && <a href={first}>First page</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
