// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An account that does several things in one transaction, as wallets with code and multisigs do. What fails is left out.
contract Batch {
    struct Call {
        address to;
        bytes data;
    }

    function run(Call[] calldata calls) external returns (uint256 done) {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, ) = calls[i].to.call(calls[i].data);
            if (ok) done++;
        }
    }
}
