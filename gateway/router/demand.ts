// When a quote was last asked for.

const LATELY_MS = 600_000;

const lastAsked = new Map<number, number>();

export const noteQuestion = (chainId: number): void => {
  lastAsked.set(chainId, performance.now());
};

export const isAskedLately = (chainId: number): boolean =>
  performance.now() - (lastAsked.get(chainId) ?? Number.NEGATIVE_INFINITY) < LATELY_MS;
