// The devnet's contracts must log exactly what their counterparts on Berachain log: names, types, indexed fields, topic 0.
import { readFileSync } from "node:fs";
import { type Abi, type AbiEvent, toEventHash, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import {
  aggregatorAbi,
  baultAbi,
  baultFactoryAbi,
  beraChefAbi,
  distributorAbi,
  farmAbi,
  farmFactoryAbi,
  infraredCoreAbi,
  islandAbi,
  islandFactoryAbi,
  kodiakV3FactoryAbi,
  kodiakV3PoolAbi,
  launchFactoryAbi,
  launchTokenAbi,
  rewardVaultAbi,
  rewardVaultFactoryAbi,
} from "../../../devnet/artifacts/abis.ts";
import { hashSources } from "../../../devnet/compile/compile.ts";

const events: readonly (readonly [Abi, string, string])[] = [
  [
    islandFactoryAbi,
    "IslandCreated(address indexed uniPool, address indexed manager, address indexed island, address implementation)",
    "0x571ca03132f5688f72c61c0bae2f1aa7572b332976761448f6747b8ae2d4574d",
  ],
  [
    islandFactoryAbi,
    "UpdateIslandImplementation(address newImplementation)",
    "0x74903d657b4a4c8356bb7e8d74dcedf5201fa6bd06636798790427bcb25da035",
  ],
  [
    islandFactoryAbi,
    "TreasurySet(address indexed treasury)",
    "0x3c864541ef71378c6229510ed90f376565ee42d9c5e0904a984a9e863e6db44f",
  ],
  [islandFactoryAbi, "IslandFeeSet(uint16 fee)", "0xb8e758fe8699ad89a59fa3b43ac0b767d9e4a977f5feef40197cbb90c70833fd"],
  [
    islandAbi,
    "Minted(address receiver, uint256 mintAmount, uint256 amount0In, uint256 amount1In, uint128 liquidityMinted)",
    "0x55801cfe493000b734571da1694b21e7f66b11e8ce9fdaa0524ecb59105e73e7",
  ],
  [
    islandAbi,
    "Burned(address receiver, uint256 burnAmount, uint256 amount0Out, uint256 amount1Out, uint128 liquidityBurned)",
    "0x7239dff1718b550db7f36cbf69c665cfeb56d0e96b4fb76a5cba712961b65509",
  ],
  [
    islandAbi,
    "Rebalance(address indexed compounder, int24 lowerTick_, int24 upperTick_, uint128 liquidityBefore, uint128 liquidityAfter)",
    "0xff52cb3b4d8fbd8cdf8f14ffefacf8704a332a0167fd0fc3c804ead362430d85",
  ],
  [
    islandAbi,
    "FeesEarned(uint256 feesEarned0, uint256 feesEarned1)",
    "0xc28ad1de9c0c32e5394ba60323e44d8d9536312236a47231772e448a3e49de42",
  ],
  [
    islandAbi,
    "UpdateManagerParams(uint16 managerFeeBPS, address managerTreasury, uint16 compounderSlippageBPS, uint32 compounderSlippageInterval)",
    "0xd61f3e2d0a1abe8c7a06f409e2069f4ba0ad684d8dcb174b9101f0bccf5e283f",
  ],
  [
    islandAbi,
    "PauserSet(address indexed pauser, bool status)",
    "0xa11b5803b8a35081b8f993e0dee5bc30301a3d83f644e5ab2ff39f972f0a807f",
  ],
  [islandAbi, "RestrictedMintSet(bool status)", "0x466ad1943abf95179c60a8c1ab56e7ba1467e287ca7d923b7d98965bc382c8f6"],
  [
    islandAbi,
    "RouterSet(address indexed router, bool status)",
    "0x8443a265af33599abe6c9ed0c3cabd8e2a6c5b8ea35c1d1ed40c513242f95d45",
  ],
  [
    islandAbi,
    "OwnershipTransferred(address indexed previousManager, address indexed newManager)",
    "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0",
  ],
  [
    rewardVaultFactoryAbi,
    "VaultCreated(address indexed stakingToken, address indexed vault)",
    "0x5d9c31ffa0fecffd7cf379989a3c7af252f0335e0d2a1320b55245912c781f53",
  ],
  [
    rewardVaultAbi,
    "Staked(address indexed account, uint256 amount)",
    "0x9e71bc8eea02a63969f509818f2dafb9254532904319f9dbda79b67bd34a5f3d",
  ],
  [
    rewardVaultAbi,
    "Withdrawn(address indexed account, uint256 amount)",
    "0x7084f5476618d8e60b11ef0d7d3f06914655adb8793e28ff7f018d4c76d505d5",
  ],
  [
    rewardVaultAbi,
    "DelegateStaked(address indexed account, address indexed delegate, uint256 amount)",
    "0x5d84fd7efe2fd5203970924007f1f56ec874f1fdbe6acec5f208000a72c70456",
  ],
  [
    rewardVaultAbi,
    "DelegateWithdrawn(address indexed account, address indexed delegate, uint256 amount)",
    "0xb1296e59c4148d97ce0bf24c50bb4bd58367005c1871eef38c03187f3cff8504",
  ],
  [rewardVaultAbi, "RewardAdded(uint256 reward)", "0xde88a922e0d3b88b24e9623efeb464919c6bf9f66857a65e2bfcf2ce87a9433d"],
  [
    rewardVaultAbi,
    "RewardPaid(address indexed account, address to, uint256 reward)",
    "0x540798df468d7b23d11f156fdb954cb19ad414d150722a7b6d55ba369dea792e",
  ],
  [
    rewardVaultAbi,
    "RewardsDurationUpdated(uint256 newDuration)",
    "0xfb46ca5a5e06d4540d6387b930a7c978bce0db5f449ec6b3f5d07c6e1d44f2d3",
  ],
  [
    rewardVaultAbi,
    "IncentiveAdded(address indexed token, address sender, uint256 amount, uint256 incentiveRate)",
    "0x8bf110a87db594cedb42356a9ca4b64a0d26fb09909292e842c614823e41d337",
  ],
  [
    rewardVaultAbi,
    "IncentivesProcessed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
    "0x5468188b6036c5311a3f18fc548c42ccb48a0cdcb9d339e0b2ba38aed4fae36d",
  ],
  [
    rewardVaultAbi,
    "BGTBoosterIncentivesProcessed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
    "0x447452569a869245fac1955d7c6c762fbd3b4ad4c1695b1b0f1cc5985958a271",
  ],
  [
    distributorAbi,
    "Distributed(bytes indexed valPubkey, uint64 indexed nextTimestamp, address indexed receiver, uint256 amount)",
    "0x027042b00b5da1362792832f3775452610369da8ce2c07af183cdabd276e3a11",
  ],
  [
    beraChefAbi,
    "VaultWhitelistedStatusUpdated(address indexed receiver, bool indexed isWhitelisted, string metadata)",
    "0xad865159180d43e1aedae6624a0e9e20d86e07afb82a96f8f9a8b2f3294e16c0",
  ],
  [
    farmFactoryAbi,
    "FarmDeployed(address indexed farm, address indexed implementation)",
    "0x07fc291a8822f099578849045f485c11cb96b1b68148dfe37cd168d397bb6dc3",
  ],
  [
    farmAbi,
    "StakeLocked(address indexed user, uint256 amount, uint256 secs, bytes32 kek_id)",
    "0x048a0ba4af4f78b89fcc5d9f443d57c45a11792b6513051a9c189409ce50fce6",
  ],
  [
    farmAbi,
    "WithdrawLocked(address indexed user, uint256 amount, bytes32 kek_id)",
    "0x8bcdaa52295f5d5fd8ae16d268e5e0e39e7807cd56ac8363730a5805736d9169",
  ],
  [
    farmAbi,
    "RewardPaid(address indexed user, uint256 reward, address indexed token_address)",
    "0x8e0d3fa908fd7ee819155b3ce71e292b601bbeb0cd00d7758b9d226a523cb827",
  ],
  [
    farmAbi,
    "RewardRateUpdated(address indexed token, uint256 newRate)",
    "0x9581ad17b8550e1bb81ad2e2da42cd0dcc395d9f5012a35daeffbd670baecbbf",
  ],
  [
    farmAbi,
    "RewardTokenAdded(address rewardToken)",
    "0xf3e4c2c64e71e6ba2eaab9a599bced62f9eb91d2cda610bf41aa8c80ff2cf826",
  ],
  [
    farmAbi,
    "RewardsPeriodRenewed(address indexed token)",
    "0x6f2b3b3aaf1881d69a5d40565500f93ea73df36e7b6a29bf48b21479a9237fe9",
  ],
  [farmAbi, "FarmStarted()", "0x35effe6d14217efa4b367e631bb0319d6fd61b996079fe37ee09c8d54dc3fcd1"],
  [
    baultFactoryAbi,
    "BaultDeployed(address indexed bault, address implementation, address indexed stakingToken)",
    "0x54adf6ebf9cb238abc1c8802185875aad749d9d573584cdbfb7647421de757d9",
  ],
  [
    baultAbi,
    "Deposit(address indexed by, address indexed owner, uint256 assets, uint256 shares)",
    "0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7",
  ],
  [
    baultAbi,
    "Withdraw(address indexed by, address indexed to, address indexed owner, uint256 assets, uint256 shares)",
    "0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db",
  ],
  [
    infraredCoreAbi,
    "NewVault(address _sender, address indexed _asset, address indexed _vault)",
    "0x891f008b8c9cadc4c9114ed37ce718f739b28049d58e50e35a02d94c4e9b06ff",
  ],
  [
    launchFactoryAbi,
    "PandaDeployed(address indexed pandaPool, address indexed implementation)",
    "0xba7af04a26315a022cff47a81c16f0e8b2762aca49ff74fdc6722f543eec3ee2",
  ],
  [
    launchTokenAbi,
    "PoolInitialized(address pandaToken, address baseToken, uint256 sqrtPa, uint256 sqrtPb, uint256 vestingPeriod, address deployer, bytes data)",
    "0xafb9d9a8f3a9fe695e6e5b7b1213fbfc5f019706ebf598c49c10ccd23c9988d7",
  ],
  [
    launchTokenAbi,
    "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
    "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  ],
  [
    launchTokenAbi,
    "Sync(uint256 pandaReserve, uint256 baseReserve, uint256 sqrtPrice)",
    "0x9ea8a9dd7d3733c6dd274b7139f05a2bfce1a4bb22f0f7bdc1ccd49c267b858d",
  ],
  [
    launchTokenAbi,
    "LiquidityMoved(uint256 amountPanda, uint256 amountBase)",
    "0x5280a0db66ccaf06018aded553c3eb913c2a3db70d0dfeeb0fb2042d68e4cef1",
  ],
  [
    kodiakV3PoolAbi,
    "SetFeeProtocol(uint32 feeProtocol0Old, uint32 feeProtocol1Old, uint32 feeProtocol0New, uint32 feeProtocol1New)",
    "0xb3159fed3ddfba67bae294599eafe2d0ec98c08bb38e0e5fb87d33154b6e05aa",
  ],
  [
    kodiakV3PoolAbi,
    "ProtocolFeesEarned(uint128 amount0, uint128 amount1)",
    "0xb4531bf5205d5c6c7af96c068df3ed1283b18a08e6ccf082a4333d7104705b6a",
  ],
  [
    kodiakV3PoolAbi,
    "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
    "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  ],
  [
    kodiakV3PoolAbi,
    "Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
    "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
  ],
  [
    kodiakV3PoolAbi,
    "Initialize(uint160 sqrtPriceX96, int24 tick)",
    "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95",
  ],
  [
    kodiakV3FactoryAbi,
    "PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
    "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  ],
];

const declarations = (abi: Abi): string[] => abi.filter((item) => item.type === "event").map(declare);

function declare({ name, inputs }: AbiEvent): string {
  const fields = inputs.map((input) => `${input.type} ${input.indexed ? "indexed " : ""}${input.name}`);
  return `${name}(${fields.join(", ")})`;
}

for (const [abi, declaration, topic] of events) {
  test(declaration, () => {
    expect(declarations(abi)).toContain(declaration);
    expect(toEventHash(`event ${declaration}`)).toBe(topic);
  });
}

test("the aggregator's swap has the selector its clients encode for", () => {
  const swap = (aggregatorAbi as Abi).find((item) => item.type === "function" && item.name === "swap");
  if (swap?.type !== "function") throw new Error("the aggregator has no swap");
  expect(toFunctionSelector(swap)).toBe("0xd2644d14");
});

test("the committed artifacts were compiled from the committed sources", () => {
  const recorded = readFileSync(new URL("../../../devnet/artifacts/sources.sha256", import.meta.url), "utf8").trim();
  expect(hashSources()).toBe(recorded);
});
