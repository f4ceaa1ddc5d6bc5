// Tokens that lie, beside tokens that do not: the lying ones are flagged or refused, and no other token's numbers change by a wei.
import { readFileSync } from "node:fs";
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { projectRoot } from "../../machine/project-root.ts";
import type { Outcome } from "./outcome.ts";
import { runProgram } from "./run-program.ts";
import type { Stack } from "./stack.ts";
import type { Transaction, TrialChain } from "./trial-chain.ts";

/** More than finality and one of its steps: afterwards the block is folded. */
const BLOCKS_TO_FOLD = 62;

interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

const readArtifact = (name: string): Artifact =>
  JSON.parse(readFileSync(`${projectRoot}devnet/artifacts/${name}.json`, "utf8")) as Artifact;

const CAST = {
  overflowing: ["OverflowingToken", "Overflowing", 18],
  phantom: ["PhantomSpendToken", "Phantom Spend", 18],
  nul: ["MintableToken", "Nul\u0000 in\u0007 name", 18],
  decimals255: ["MintableToken", "Decimals 255", 255],
  skimming: ["SilentSkimToken", "Silent Skim", 18],
  rebasing: ["RebasingToken", "Rebasing", 9],
  feeTaking: ["FeeOnTransferToken", "Honest Fee", 18],
} as const;
type Role = keyof typeof CAST;
const ROLES = Object.keys(CAST) as Role[];

const accountNumber = (n: number): Address => `0x${(0xbad0000000 + n).toString(16).padStart(40, "0")}`;

async function deployCast(chain: TrialChain): Promise<Record<Role, Address>> {
  const creations = ROLES.map((role): Transaction => {
    const [contract, name, decimals] = CAST[role];
    const { abi, bytecode } = readArtifact(contract);
    return { data: encodeDeployData({ abi, bytecode, args: [name, role.toUpperCase(), decimals] }) };
  });
  const addresses = await chain.include(creations);
  return Object.fromEntries(ROLES.map((role, i) => [role, addresses[i]])) as Record<Role, Address>;
}

/** The deployer mints to itself and others and pays some of them; then each token misbehaves in its own way. */
async function misbehave(chain: TrialChain, cast: Record<Role, Address>): Promise<void> {
  const call = (role: Role, functionName: string, args: readonly unknown[]): Transaction => ({
    to: cast[role],
    data: encodeFunctionData({ abi: readArtifact(CAST[role][0]).abi, functionName, args }),
  });
  await chain.include(ROLES.map((role) => call(role, "mint", [chain.deployer, 10n ** 21n])));
  await chain.include(ROLES.map((role) => call(role, "transfer", [accountNumber(1), 10n ** 20n])));
  await chain.include([
    call("overflowing", "mintMax", [accountNumber(2)]),
    call("overflowing", "mintMax", [accountNumber(2)]),
    call("phantom", "spend", [accountNumber(3), accountNumber(4), 10n ** 30n]),
    call("rebasing", "rebase", [11n, 10n]),
  ]);
}

interface StatusBody {
  quarantined: { token: Address; name: string | null; reason: string }[];
  flags: { token: Address; flag: string }[];
}

/** Deploys all of them on a running stack; looks at the answers before and after they are folded. */
export async function meetHostileTokens(stack: Stack): Promise<Outcome> {
  const { chain, gatewayUrl } = stack;
  const cast = await deployCast(chain);
  await misbehave(chain, cast);
  const faults: string[] = [];
  const statusOf = async (token: Address) => {
    const response = await fetch(`${gatewayUrl}/balances/${token}?blockNumber=${chain.head()}`);
    const { error } = (await response.json()) as { error?: { code: string } };
    return { code: error?.code ?? "200", flags: response.headers.get("x-token-flags") };
  };
  const expectRefusals = async (when: string) => {
    for (const role of ROLES) {
      const isRefused = role === "overflowing" || role === "phantom" || role === "decimals255";
      const { code } = await statusOf(cast[role]);
      if (code !== (isRefused ? "TOKEN_NOT_STANDARD" : "200")) faults.push(`${when}: ${role} answers ${code}`);
    }
  };
  await stack.waitSynced();
  await stack.waitFor("metadata", async () => (await statusOf(cast.feeTaking)).code !== "METADATA_PENDING");
  await expectRefusals("above the last final block");
  const misdeeds = chain.head();
  for (let block = 0; block < BLOCKS_TO_FOLD; block++) await chain.mine(3);
  await stack.waitSynced();
  await stack.waitFor("the fold", async () => {
    const [meta] = await stack.sql.unsafe(`select finalized from "${await stack.foldSchema()}".meta`);
    return meta?.finalized > misdeeds;
  });
  await expectRefusals("folded");

  const verified = await runProgram(["verify/main.ts", "--all", "--samples", "12", "--seed", "hostile"], stack.env);
  if (verified.status !== 0) faults.push(`verify ended with ${verified.status}: ${verified.output}`);
  const status = (await (await fetch(`${gatewayUrl}/status`)).json()) as StatusBody;
  const rolesOf = (tokens: readonly Address[]) => ROLES.filter((role) => tokens.includes(cast[role])).join(", ");
  const quarantined = rolesOf(status.quarantined.map(({ token }) => token));
  const flagged = rolesOf(status.flags.filter(({ flag }) => flag === "balance-drift").map(({ token }) => token));
  if (quarantined !== "overflowing, phantom, nul, decimals255") faults.push(`quarantined: ${quarantined}`);
  if (flagged !== "skimming, rebasing") faults.push(`flagged balance-drift: ${flagged}`);
  for (const role of ROLES) {
    const { flags } = await statusOf(cast[role]);
    const isDrifting = role === "skimming" || role === "rebasing";
    if ((flags === "balance-drift") !== isDrifting) faults.push(`X-Token-Flags of ${role}: ${flags}`);
  }
  return {
    name: "hostile tokens",
    figures: {
      quarantined,
      "flagged balance-drift": flagged,
      verify: verified.output.trimEnd().split("\n").at(-1) ?? "",
    },
    faults,
  };
}
