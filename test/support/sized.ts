// How much of what is repeated or drawn at random a run has. `npm test` has some of it, to end while one waits;
// `TEST_SIZE=whole npm test` has as much as the documents say.
const sizes = ["some", "whole"];
const size = process.env.TEST_SIZE ?? "some";
if (!sizes.includes(size)) throw new Error(`TEST_SIZE: "${size}" is not one of ${sizes.join(", ")}`);

export const sized = <T>({ some, whole }: { some: T; whole: T }): T => (size === "whole" ? whole : some);
