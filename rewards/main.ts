// `npm run rewards`: turns a campaign's budget into claims, or checks whether this index confirms them. Options: see arguments.ts.

import { UsageError } from "../machine/command-line.ts";
import { terminalText } from "../machine/terminal-text.ts";
import { parsePlan, USAGE } from "./arguments.ts";
import { checkManifest } from "./check.ts";
import { FORMATS } from "./claims.ts";
import type { Manifest } from "./manifest.ts";
import { writeFolder } from "./write-folder.ts";

const blockText = ({ number, hash }: Manifest["to"]) => terminalText(`${number} ${hash ?? ""}`);

async function main(): Promise<void> {
  const plan = parsePlan(process.argv.slice(2), process.env);
  if (plan === "help") {
    console.log(USAGE);
    return;
  }
  if ("check" in plan) {
    const { manifest, differences } = await checkManifest(plan.check, plan.place);
    if (differences.length === 0) {
      console.log(`confirmed: ${manifest.accounts} accounts, ${manifest.sum} raw units, all roots`);
      return;
    }
    console.error(differences.join("\n"));
    process.exitCode = 1;
    return;
  }
  const { manifest, isFinal } = await writeFolder(plan.place, plan);
  console.log(`from block ${blockText(manifest.from)}`);
  console.log(`to block ${blockText(manifest.to)}${isFinal ? "" : " (not final: a reorganisation may replace it)"}`);
  console.log(`${manifest.accounts} accounts, ${manifest.sum} raw units together: ${plan.out}`);
  const { incomplete = [] } = manifest;
  if (incomplete.length > 0)
    console.log(`left out, as their holdings cannot be attributed to accounts: ${incomplete.join(", ")}`);
  for (const format of FORMATS)
    console.log(`root for ${format}: ${manifest.roots[format] ?? "none, an amount is above 2^128 - 1"}`);
}

try {
  await main();
} catch (error) {
  console.error(terminalText(`rewards: ${error instanceof Error ? error.message : String(error)}`));
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 2;
}
