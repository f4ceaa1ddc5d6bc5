// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Reads much in one call, and tries out transactions without leaving a trace. Put at an account's address by a state
/// override, it acts as that account.
contract V3Probe {
    struct Read {
        address to;
        bytes data;
    }

    struct Trial {
        address to;
        bytes[] calls;
    }

    struct Outcome {
        bool ok;
        bytes data;
    }

    function read(Read[] calldata reads) external view returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](reads.length);
        for (uint256 i = 0; i < reads.length; i++) {
            (outcomes[i].ok, outcomes[i].data) = reads[i].to.staticcall(reads[i].data);
        }
    }

    /// Every trial begins from the same state. Its outcome is the encoded `Outcome[]` of its calls.
    function tryEach(Trial[] calldata trials) external returns (bytes[] memory outcomes) {
        outcomes = new bytes[](trials.length);
        for (uint256 i = 0; i < trials.length; i++) {
            try this.attempt(trials[i]) {
                revert("attempt must revert");
            } catch (bytes memory told) {
                outcomes[i] = told;
            }
        }
    }

    function attempt(Trial calldata trial) external {
        Outcome[] memory outcomes = new Outcome[](trial.calls.length);
        for (uint256 i = 0; i < trial.calls.length; i++) {
            (outcomes[i].ok, outcomes[i].data) = trial.to.call(trial.calls[i]);
        }
        bytes memory told = abi.encode(outcomes);
        assembly {
            revert(add(told, 32), mload(told))
        }
    }
}
