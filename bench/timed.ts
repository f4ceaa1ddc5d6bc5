// How long a part of the preparations of a benchmark took, said when it is over.

export async function timed<T>(say: (line: string) => void, what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}
