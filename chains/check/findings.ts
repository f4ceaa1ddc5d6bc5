// What a check of a chain file finds. One finding is one line: the field, what is wrong, what to write.

export interface Finding {
  /**
   * `mistake`: the file contradicts the chain; nothing may be indexed by it. `notice`: it may be intended, or could not be
   * checked.
   */
  kind: "mistake" | "notice";
  /** Path of the field, as in `v3.deployments[0].factory.address`; `""` for the file as a whole. */
  path: string;
  text: string;
}

export const mistake = (path: string, text: string): Finding => ({ kind: "mistake", path, text });
export const notice = (path: string, text: string): Finding => ({ kind: "notice", path, text });

/** The finding as one line. */
export const lineOf = ({ path, text }: Finding): string => (path === "" ? text : `${path}: ${text}`);

/** A chain file contradicts its chain: nothing may be indexed by it. */
export class ChainCheckError extends Error {
  override name = "ChainCheckError";
  readonly mistakes: readonly Finding[];
  constructor(file: string, mistakes: readonly Finding[]) {
    const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
    super(
      [`chain file ${file} has ${count}; nothing is indexed`, ...mistakes.map((one) => `  ${lineOf(one)}`)].join("\n"),
    );
    this.mistakes = mistakes;
  }
}
