// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "vaults/Erc4626.sol";

/// Takes its fee on the way out in shares, so that it burns fewer than its `Withdraw` says. In which order, its owner chooses.
contract ShareFeeVault is Erc4626 {
    enum Way {
        FeeFirst,
        BurnFirst,
        ByTheVault
    }

    address public immutable treasury;
    uint256 public feeBps;
    Way public way;

    constructor(address asset_, address treasury_) {
        asset = asset_;
        treasury = treasury_;
        name = "Share Fee Vault";
        symbol = "sfv";
    }

    function setFee(uint256 feeBps_, Way way_) external {
        feeBps = feeBps_;
        way = way_;
    }

    function totalAssets() public view override returns (uint256) {
        return TokenTransfers.held(asset, address(this));
    }

    function _leave(address to, address owner, uint256, uint256 shares, uint256) internal override {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        uint256 fee = (shares * feeBps) / 10000;
        uint256 assets = convertToAssets(shares - fee);
        address burnt = way == Way.ByTheVault ? address(this) : owner;
        if (way == Way.ByTheVault) _transfer(owner, burnt, shares);
        if (way == Way.BurnFirst) _burn(burnt, shares - fee);
        if (fee > 0) _transfer(burnt, treasury, fee);
        if (way != Way.BurnFirst) _burn(burnt, shares - fee);
        TokenTransfers.send(asset, to, assets);
        emit Withdraw(msg.sender, to, owner, assets, shares);
    }
}
