// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/TokenTransfers.sol";

/// What an outside service's router is to the aggregator: takes the input, swaps it somewhere, pays what was promised.
/// What comes out beyond the promise stays here, and what is missing is paid from it.
contract SwapExecutor {
    struct Order {
        address tokenIn;
        uint256 amountIn;
        address router;
        bytes data;
        address tokenOut;
        uint256 amountOut;
        address receiver;
    }

    function execute(Order calldata order) external {
        TokenTransfers.pull(order.tokenIn, msg.sender, address(this), order.amountIn);
        TokenTransfers.allow(order.tokenIn, order.router, order.amountIn);
        (bool done, bytes memory answer) = order.router.call(order.data);
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        TokenTransfers.send(order.tokenOut, order.receiver, order.amountOut);
    }
}
