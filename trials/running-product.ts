// The product that a trial is about, where it is one that runs already.

/** Ends the process with 2, and says what to do, where nothing answers at `url`. */
export async function requireProduct(url: string): Promise<void> {
  const isThere = await fetch(`${url}/status`).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  console.error(`nothing answers at ${url}: run \`npm start\` first, or name the product by --url`);
  process.exit(2);
}
