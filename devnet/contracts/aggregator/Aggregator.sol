// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/TokenTransfers.sol";

/// Swaps through any router with calldata made for it: takes the input, calls, checks the minimum, pays out.
contract Aggregator {
    struct InputAmount {
        address token;
        bool wrap;
        uint256 amount;
    }
    struct OutputAmount {
        address token;
        bool unwrap;
        uint256 minAmountOut;
        address receiver;
    }
    struct SwapData {
        address router;
        bytes data;
    }
    struct FeeData {
        uint256 feeQuote;
        uint16 surplusFeeBps;
        uint16 refCode;
        uint16 referrerFeeBps;
    }

    uint256 private constant MAX_REFERRER_FEE_BPS = 1000;

    address public immutable owner;
    mapping(uint16 => address) public referrers;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function setReferrer(uint16 refCode, address receiver) external {
        require(msg.sender == owner, "owner");
        referrers[refCode] = receiver;
    }

    /**
     * `swapData.router` gets an allowance for exactly the input and must send the output here. The referral fee is
     * floor(feeQuote × referrerFeeBps / 10,000) of the output token, where feeQuote is the quoted output; `minAmountOut`
     * binds what the receiver gets after it. Surplus is not shared: surplusFeeBps must be 0.
     */
    function swap(
        InputAmount calldata input,
        OutputAmount calldata output,
        SwapData calldata swapData,
        FeeData calldata fee
    ) external payable returns (uint256 amountOut) {
        require(fee.surplusFeeBps == 0, "surplus");
        require(fee.referrerFeeBps <= MAX_REFERRER_FEE_BPS, "referral fee");
        _takeInput(input);
        uint256 before = TokenTransfers.held(output.token, address(this));
        TokenTransfers.allow(input.token, swapData.router, input.amount);
        _call(swapData.router, swapData.data);
        TokenTransfers.allow(input.token, swapData.router, 0);
        amountOut = TokenTransfers.held(output.token, address(this)) - before;
        uint256 referral = (fee.feeQuote * fee.referrerFeeBps) / 10000;
        address referrer = referrers[fee.refCode];
        if (referrer == address(0)) referral = 0;
        require(amountOut >= referral && amountOut - referral >= output.minAmountOut, "min amount out");
        amountOut -= referral;
        if (output.unwrap) IWrappedNative(output.token).withdraw(amountOut + referral);
        if (referral > 0) _pay(output, referrer, referral);
        _pay(output, output.receiver, amountOut);
    }

    function _takeInput(InputAmount calldata input) private {
        if (input.wrap) {
            require(msg.value == input.amount, "value");
            IWrappedNative(input.token).deposit{value: input.amount}();
        } else {
            require(msg.value == 0, "value");
            TokenTransfers.pull(input.token, msg.sender, address(this), input.amount);
        }
    }

    function _pay(OutputAmount calldata output, address to, uint256 amount) private {
        if (!output.unwrap) return TokenTransfers.send(output.token, to, amount);
        (bool paid, ) = to.call{value: amount}("");
        require(paid, "pay");
    }

    /// Passes the router's own reason on.
    function _call(address router, bytes calldata data) private {
        (bool done, bytes memory answer) = router.call(data);
        if (done) return;
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }
}
