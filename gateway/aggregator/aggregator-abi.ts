// The one function of the aggregator contract that quotes call; its selector is 0xd2644d14.

export const aggregatorAbi = [
  {
    type: "function",
    name: "swap",
    stateMutability: "payable",
    inputs: [
      {
        name: "input",
        type: "tuple",
        components: [
          { name: "token", type: "address" },
          { name: "wrap", type: "bool" },
          { name: "amount", type: "uint256" },
        ],
      },
      {
        name: "output",
        type: "tuple",
        components: [
          { name: "token", type: "address" },
          { name: "unwrap", type: "bool" },
          { name: "minAmountOut", type: "uint256" },
          { name: "receiver", type: "address" },
        ],
      },
      {
        name: "swapData",
        type: "tuple",
        components: [
          { name: "router", type: "address" },
          { name: "data", type: "bytes" },
        ],
      },
      {
        name: "fee",
        type: "tuple",
        components: [
          { name: "feeQuote", type: "uint256" },
          { name: "surplusFeeBps", type: "uint16" },
          { name: "refCode", type: "uint16" },
          { name: "referrerFeeBps", type: "uint16" },
        ],
      },
    ],
    outputs: [{ name: "amountOut", type: "uint256" }],
  },
] as const;
