// Human numbers come out byte-equal whether PostgreSQL or Node writes them.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ecmaScriptText, nearestDouble } from "../../gateway/balances/balances-json.ts";
import { nearestDoubles, toExactDecimal, toNearestDouble } from "../../gateway/numbers.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MAX = 2n ** 256n - 1n;
let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

async function written(amounts: readonly bigint[], decimals: number): Promise<string[]> {
  const rows = await database.sql.unsafe(
    `select ${ecmaScriptText("total")} as digits
       from (select ${nearestDouble("amount", decimals)} as total, place
               from unnest(string_to_array($1, ',')::numeric[]) with ordinality as r(amount, place) offset 0) r
      order by place`,
    [amounts.join(",")],
  );
  return rows.map((row) => row.digits);
}

const amount = fc
  .oneof(
    fc.bigInt({ min: 0n, max: MAX }),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    // few digits, many zeros
    fc
      .tuple(fc.bigInt({ min: 0n, max: 99999n }), fc.integer({ min: 0, max: 72 }))
      .map(([n, zeros]) => n * 10n ** BigInt(zeros)),
    // around powers of two, where doubles change their spacing
    fc
      .tuple(fc.integer({ min: 0, max: 255 }), fc.bigInt({ min: -3n, max: 3n }))
      .map(([k, off]) => 2n ** BigInt(k) + off),
    // halfway between two doubles
    fc
      .tuple(fc.bigInt({ min: 2n ** 53n, max: 2n ** 54n - 1n }), fc.integer({ min: 0, max: 202 }))
      .map(([n, k]) => (2n * (n / 2n) + 1n) * 2n ** BigInt(k)),
    fc
      .tuple(fc.bigInt({ min: 0n, max: 4n }), fc.bigInt({ min: 1n, max: 2n ** 30n }), fc.integer({ min: 20, max: 23 }))
      .map(([a, n, k]) => n * 5n ** BigInt(k) * 2n ** BigInt(k) + a),
  )
  .filter((value) => value >= 0n && value <= MAX);

describe("numbers written by PostgreSQL", () => {
  it.each([0, 6, 8, 9, 18, 77])("equal Node's byte for byte with %i decimals at the edges", async (decimals) => {
    const unit = 10n ** BigInt(decimals);
    const tens = Array.from({ length: 78 }, (_, k) => 10n ** BigInt(k)).filter((value) => value <= MAX);
    const around = tens.flatMap((value) => [value - 1n, value, value + 1n, 3n * value]).filter((value) => value <= MAX);
    const amounts = [0n, 1n, unit / 10n ** 7n, unit / 10n ** 6n, unit * 10n ** 16n, MAX, MAX - 1n, ...around].filter(
      (value) => value <= MAX,
    );
    expect(await written(amounts, decimals)).toEqual(amounts.map((value) => String(toNearestDouble(value, decimals))));
  });

  it("equal Node's byte for byte for random amounts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(amount, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 0, max: 77 }),
        async (amounts, decimals) => {
          expect(await written(amounts, decimals)).toEqual(
            amounts.map((value) => JSON.stringify(toNearestDouble(value, decimals))),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("numbers written by Node", () => {
  it("are the nearest doubles: no double lies closer to the exact value", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 77 }), (value, decimals) => {
        const double = toNearestDouble(value, decimals);
        const distance = (x: number) => {
          // |x - value / 10^decimals| as an exact fraction over 2^1100 * 10^decimals
          const [numerator, shift] = exactDouble(x);
          const difference = (numerator << BigInt(1100 - shift)) * 10n ** BigInt(decimals) - (value << 1100n);
          return difference < 0n ? -difference : difference;
        };
        const [below, above] = neighbours(double);
        expect(distance(double) <= distance(above)).toBe(true);
        if (double > 0) expect(distance(double) <= distance(below)).toBe(true);
      }),
    );
  });

  it("are the same many at once as one by one", () => {
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 0, max: 255 }),
        (amounts, decimals) => {
          expect(nearestDoubles(amounts.map((value) => `${value}e-${decimals}`).join(","))).toEqual(
            amounts.map((value) => String(toNearestDouble(value, decimals))),
          );
        },
      ),
    );
  });

  it("are exact decimals that read back to the same raw amount", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 77 }), (value, decimals) => {
        const text = toExactDecimal(value, decimals);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        const [whole = "", fraction = ""] = text.split(".");
        expect(BigInt(whole + fraction.padEnd(decimals, "0"))).toBe(value);
      }),
    );
  });
});

const bits = new DataView(new ArrayBuffer(8));

/** A double >= 0 as numerator / 2^shift. */
function exactDouble(x: number): [bigint, number] {
  bits.setFloat64(0, x);
  const raw = bits.getBigUint64(0);
  const exponent = Number(raw >> 52n);
  const mantissa = raw & (2n ** 52n - 1n);
  const [numerator, power] = exponent === 0 ? [mantissa, -1074] : [mantissa + 2n ** 52n, exponent - 1075];
  return power >= 0 ? [numerator << BigInt(power), 0] : [numerator, -power];
}

function neighbours(x: number): [number, number] {
  bits.setFloat64(0, x);
  const raw = bits.getBigUint64(0);
  const of = (value: bigint) => {
    bits.setBigUint64(0, value);
    return bits.getFloat64(0);
  };
  return [raw === 0n ? 0 : of(raw - 1n), of(raw + 1n)];
}
