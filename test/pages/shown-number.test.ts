// Short forms of exact numbers: never more than there is, and never mistaken for another size.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortened } from "../../gateway/pages/parts/shown-number.tsx";
import { ShownDay } from "../../gateway/pages/parts/shown-time.tsx";

describe("short forms of numbers", () => {
  it.each([
    ["0", "0"],
    ["1", "1"],
    ["0.5", "0.5"],
    ["0.0000123456", "0.00001234"],
    ["0.00000123456", "1.234e-6"],
    ["999.99999", "999.99"],
    ["1234.5678", "1,234.5"],
    ["999999.9", "999,999"],
    ["1234567", "1.2345M"],
    ["999999999", "999.99M"],
    ["-1234567", "−1.2345M"],
    ["999999999999999999", "999.99Q"],
    ["1000000000000000000", "1e18"],
    [`1${"0".repeat(40)}`, "1e40"],
  ])("%s is %s", (exact, short) => {
    expect(shortened(exact)).toBe(short);
  });

  it("are at most as large as the number, and within a thousandth of it", () => {
    const UNITS: Record<string, number> = { M: 1e6, B: 1e9, T: 1e12, Q: 1e15 };
    const sizeOf = (short: string): number => {
      const unit = UNITS[short.at(-1) ?? ""];
      return Number((unit ? short.slice(0, -1) : short).replaceAll(",", "")) * (unit ?? 1);
    };
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 60n }), fc.integer({ min: 0, max: 40 }), (amount, decimals) => {
        const digits = String(amount).padStart(decimals + 1, "0");
        const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
        const exact =
          digits.slice(0, digits.length - decimals) + (decimals > 0 && fraction !== "" ? `.${fraction}` : "");
        const [shown, real] = [sizeOf(shortened(exact)), Number(exact)];
        expect(shown).toBeLessThanOrEqual(real * (1 + 1e-12));
        expect(shown).toBeGreaterThan(real * 0.998);
      }),
    );
  });
});

describe("days", () => {
  it("that no calendar has, as contracts may name them, are said in words", () => {
    expect(String(ShownDay({ seconds: 1_770_000_000 }))).toContain(">2026-02-02</time>");
    expect(String(ShownDay({ seconds: 1e77 }))).toContain(">after the year 275760</span>");
  });
});
