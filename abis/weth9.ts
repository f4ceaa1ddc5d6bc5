// Wrapping as canonical WETH9 announces it: Deposit and Withdrawal, with no Transfer beside them.
export const weth9Abi = [
  {
    type: "event",
    name: "Deposit",
    inputs: [
      { name: "account", type: "address", indexed: true },
      { name: "amount", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "Withdrawal",
    inputs: [
      { name: "account", type: "address", indexed: true },
      { name: "amount", type: "uint256", indexed: false },
    ],
  },
] as const;
