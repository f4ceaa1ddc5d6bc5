// About how much of V8's heap a plain value takes. Of long lists only some entries are weighed, so that weighing a large
// answer costs little compared with working it out.

/** Of each list, map or set at most about this many entries are weighed. */
const SAMPLE = 32;

// Measured on Node 22 without pointer compression; `test/gateway/cache/bytes-of.test.ts` measures again.
const SLOT = 8;
const STRING = 24;
const BIGINT = 40;
const ARRAY = 32;
const OBJECT = 24;
/** An empty one, and each entry with its part of the hash table. */
const MAP = 184;
const MAP_ENTRY = 38;
const SET_ENTRY = 26;
const BUFFER = 184;

/** Trees of plain data; what hangs in several places counts in each. */
export function bytesOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return STRING + value.length;
    case "bigint":
      return BIGINT;
    case "number":
      return Number.isSafeInteger(value) ? 0 : 2 * SLOT;
    case "object":
      return value === null ? 0 : bytesOfObject(value);
    default:
      return 0;
  }
}

function bytesOfObject(value: object): number {
  if (Array.isArray(value)) return bytesOfList(value);
  if (value instanceof Map)
    return MAP + MAP_ENTRY * value.size + sampled(value, ([key, held]) => bytesOf(key) + bytesOf(held));
  if (value instanceof Set) return MAP + SET_ENTRY * value.size + sampled(value, bytesOf);
  if (ArrayBuffer.isView(value)) return BUFFER + value.byteLength;
  let bytes = OBJECT;
  for (const held of Object.values(value)) bytes += SLOT + bytesOf(held);
  return bytes;
}

function bytesOfList(list: readonly unknown[]): number {
  const { length } = list;
  const step = Math.ceil(length / SAMPLE);
  let [bytes, weighed] = [0, 0];
  for (let i = 0; i < length; i += step, weighed++) bytes += bytesOf(list[i]);
  return ARRAY + SLOT * length + (weighed === 0 ? 0 : Math.ceil((bytes * length) / weighed));
}

function sampled<T>(entries: Iterable<T> & { size: number }, weigh: (entry: T) => number): number {
  const step = Math.ceil(entries.size / SAMPLE);
  let [bytes, weighed, at] = [0, 0, 0];
  for (const entry of entries) {
    if (at++ % step > 0) continue;
    bytes += weigh(entry);
    weighed++;
  }
  return weighed === 0 ? 0 : Math.ceil((bytes * entries.size) / weighed);
}
