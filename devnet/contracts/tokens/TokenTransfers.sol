// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IErc20 {
    function totalSupply() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 value) external returns (bool);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function name() external view returns (string memory);
    function symbol() external view returns (string memory);
    function decimals() external view returns (uint8);
}

interface IWrappedNative is IErc20 {
    function deposit() external payable;
    function withdraw(uint256 value) external;
}

/// Transfers that revert on `false` and accept tokens that answer nothing.
library TokenTransfers {
    function send(address token, address to, uint256 value) internal {
        _call(token, abi.encodeCall(IErc20.transfer, (to, value)));
    }

    function pull(address token, address from, address to, uint256 value) internal {
        _call(token, abi.encodeCall(IErc20.transferFrom, (from, to, value)));
    }

    function allow(address token, address spender, uint256 value) internal {
        _call(token, abi.encodeCall(IErc20.approve, (spender, value)));
    }

    function held(address token, address account) internal view returns (uint256) {
        return IErc20(token).balanceOf(account);
    }

    function _call(address token, bytes memory data) private {
        (bool done, bytes memory answer) = token.call(data);
        require(done && (answer.length == 0 || abi.decode(answer, (bool))), "token");
    }
}
