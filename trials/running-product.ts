// For trials of a product that runs already.

/** Where nothing answers at `url`: says what to do, and ends the process with 2. */
export async function requireProduct(url: string): Promise<void> {
  const isThere = await fetch(`${url}/status`).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  console.error(`nothing answers at ${url}: run \`npm start\` first, or name the product by --url`);
  process.exit(2);
}
