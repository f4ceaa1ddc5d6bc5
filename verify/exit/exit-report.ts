// What `--exit` and `--exits` print.
import type { Address } from "viem";
import { columnsOf, shortenedText } from "../../machine/terminal-text.ts";
import { type Announced, kindOf } from "./announced-contracts.ts";
import { differenceOf, type ExitComparison, isRight, isWithin, isWithinOneWeiEach, type Line } from "./compare-exit.ts";
import type { Trail } from "./unwind.ts";

const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function placeOf(announced: Announced, asset: string): string {
  const [name, contract = "", , id = ""] = asset.split(":");
  const kind = kindOf(announced, asset);
  return name === "v3-position"
    ? `${kind} ${id.length > 12 ? `${id.slice(0, 6)}…` : id}`
    : `${kind} ${short(contract)}`;
}

const wayOf = (announced: Announced, trail: Trail): string =>
  trail.map((asset) => placeOf(announced, asset)).join(" → ");

const signed = (value: bigint): string => (value > 0n ? `+${value}` : String(value));

const verdictOf = (line: Line): string => {
  const difference = differenceOf(line);
  if (difference === 0n) return "exact";
  return `${signed(difference)} wei${isWithin(line) ? "" : `  WRONG: ${line.allowed} allowed`}`;
};

/** With the amount owed where a contract that lacks something had it cut. */
const answeredText = ({ answered, owed }: Line): string =>
  `answered ${answered}${owed === answered ? "" : ` of ${owed} owed`}`;

/** Width for a symbol; an address is shown in full. */
const NAME_COLUMNS = 42;

/** Every way of one account, and every token in all. */
export function formatExit(
  comparison: ExitComparison,
  { announced, symbols }: { announced: Announced; symbols: ReadonlyMap<Address, string> },
): string[] {
  const nameOf = (token: Address) => shortenedText(symbols.get(token) || token, NAME_COLUMNS);
  const tokens = [...new Set(comparison.lines.map(({ token }) => token))];
  const width = Math.max(0, ...tokens.map((token) => columnsOf(nameOf(token))));
  const paddedName = (token: Address) => nameOf(token) + " ".repeat(width - columnsOf(nameOf(token)));
  const out = [summaryOf(comparison)];
  if (comparison.inWalletAlone !== undefined)
    out.push(
      `  nothing had to be taken out: it has ${counted(comparison.inWalletAlone, "token")} in its wallet and, as answers and contracts agree, nothing else`,
    );
  const ways = new Map<string, Line[]>();
  for (const line of comparison.lines) {
    const way = wayOf(announced, line.trail);
    ways.set(way, [...(ways.get(way) ?? []), line]);
  }
  for (const [way, lines] of ways) {
    out.push(`  ${way}, ${counted(Math.max(...lines.map(({ contracts }) => contracts)), "contract")}`);
    for (const line of lines)
      out.push(`    ${paddedName(line.token)}  ${answeredText(line)}  received ${line.received}  ${verdictOf(line)}`);
  }
  out.push("  in all");
  for (const token of tokens) {
    const lines = comparison.lines.filter((line) => line.token === token);
    const sum = (pick: (line: Line) => bigint) => lines.reduce((total, line) => total + pick(line), 0n);
    const [answered, received] = [sum((line) => line.answered), sum((line) => line.received)];
    out.push(
      `    ${paddedName(token)}  answered ${answered}  received ${received}  ${signed(received - answered)} wei`,
    );
  }
  return [...out, ...asidesOf(comparison)];
}

const asidesOf = ({ notes, skipped, stranded }: ExitComparison): string[] => [
  ...notes.map((note) => `  note: ${note}`),
  ...skipped.map((text) => `  skipped: ${text}`),
  ...stranded.map((text) => `  STRANDED: ${text}`),
];

const worstOf = (lines: readonly Line[]): Line | undefined => {
  const sizeOf = (line: Line) => (differenceOf(line) < 0n ? -differenceOf(line) : differenceOf(line));
  return lines.reduce<Line | undefined>((a, b) => (a && sizeOf(a) >= sizeOf(b) ? a : b), undefined);
};

const deepestOf = (lines: readonly Line[]): number => Math.max(0, ...lines.map(({ contracts }) => contracts));

function worstText(lines: readonly Line[]): string {
  const worst = worstOf(lines);
  return worst ? `worst ${signed(differenceOf(worst))} wei through ${counted(worst.contracts, "contract")}` : "nothing";
}

/** One line for one account. */
export function summaryOf(comparison: ExitComparison): string {
  const { account, block, kinds, lines, skipped, stranded } = comparison;
  const parts = [
    `${account} at block ${block}: ${kinds.join(", ") || "nothing outside its wallet"}`,
    `${counted(lines.length, "amount")}, deepest ${deepestOf(lines)}, ${worstText(lines)}`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    isRight(comparison) ? "exact within rounding" : `${lines.filter((line) => !isWithin(line)).length} WRONG`,
    ...(stranded.length > 0 ? [`${stranded.length} STRANDED`] : []),
  ];
  return parts.join("; ");
}

/** What is wrong with an account, one line each, and what was left out. */
export function problemsOf(comparison: ExitComparison, announced: Announced): string[] {
  const wrong = comparison.lines.filter((line) => !isWithin(line));
  return [
    ...wrong.map(
      (line) =>
        `  ${line.token} by ${wayOf(announced, line.trail)}: ${answeredText(line)}, received ${line.received}, ${verdictOf(line)}`,
    ),
    ...comparison.skipped.map((text) => `  skipped: ${text}`),
    ...comparison.stranded.map((text) => `  STRANDED: ${text}`),
  ];
}

/** Over all accounts. */
export function totalsOf(comparisons: readonly ExitComparison[], announced: Announced): string[] {
  const lines = comparisons.flatMap((one) => one.lines);
  const tally = (names: readonly string[]): string => {
    const times = new Map<string, number>();
    for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
    return [...times]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  };
  const deepest = lines.reduce<Line | undefined>((a, b) => (a && a.contracts >= b.contracts ? a : b), undefined);
  const within = lines.filter(isWithinOneWeiEach).length;
  const coarse = lines.filter((line) => isWithin(line) && !isWithinOneWeiEach(line)).length;
  return [
    `${counted(new Set(comparisons.map(({ account }) => account)).size, "account")}; holdings: ${tally(comparisons.flatMap(({ kinds }) => kinds))}`,
    `deepest: ${deepest ? `${wayOf(announced, deepest.trail)}, ${counted(deepest.contracts, "contract")}` : "none"}`,
    `${counted(lines.length, "amount")} compared: ${lines.filter((line) => differenceOf(line) === 0n).length} exact, ` +
      `${within} within a wei per contract, ${coarse} more within a wei of what each pays, ` +
      `${lines.filter((line) => !isWithin(line)).length} WRONG; ${worstText(lines)}; ` +
      `${counted(
        lines.reduce((sum, { contracts }) => sum + contracts, 0),
        "contract",
      )} passed; ` +
      `${comparisons.reduce((sum, { skipped }) => sum + skipped.length, 0)} skipped, ` +
      `${comparisons.reduce((sum, { stranded }) => sum + stranded.length, 0)} stranded`,
  ];
}
