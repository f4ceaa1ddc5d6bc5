// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../islands/V3Math.sol";
import "../tokens/Erc20.sol";
import "../tokens/TokenTransfers.sol";

/// ERC-4626 without virtual shares: a share is worth totalAssets / totalSupply. A fee on the way out stays with the holders.
abstract contract Erc4626 is Erc20 {
    event Deposit(address indexed by, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(address indexed by, address indexed to, address indexed owner, uint256 assets, uint256 shares);

    string public name;
    string public symbol;
    address public asset;

    function decimals() external view returns (uint8) {
        return IErc20(asset).decimals();
    }

    function totalAssets() public view virtual returns (uint256);

    /// What the vault does with assets it has just received.
    function _afterDeposit(uint256 assets) internal virtual {}

    /// Makes `assets` available to be sent.
    function _beforeWithdraw(uint256 assets) internal virtual {}

    /// Kept back from `assets` on their way out.
    function _exitFee(uint256 assets) internal view virtual returns (uint256) {
        assets;
        return 0;
    }

    function _feePaid(uint256 assets, uint256 fee) internal virtual {}

    function convertToShares(uint256 assets) public view returns (uint256) {
        return totalSupply == 0 ? assets : V3Math.mulDiv(assets, totalSupply, totalAssets());
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? shares : V3Math.mulDiv(shares, totalAssets(), totalSupply);
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        return convertToShares(assets);
    }

    function previewMint(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? shares : V3Math.mulDivUp(shares, totalAssets(), totalSupply);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        uint256 assets = convertToAssets(shares);
        return assets - _exitFee(assets);
    }

    /// Assets the receiver gets, fee not included: what leaves the holders is more.
    function previewWithdraw(uint256 assets) public view returns (uint256) {
        uint256 gross = assets + _feeOnTop(assets);
        return totalSupply == 0 ? gross : V3Math.mulDivUp(gross, totalSupply, totalAssets());
    }

    function maxDeposit(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxMint(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxRedeem(address owner) external view returns (uint256) {
        return balanceOf(owner);
    }

    function maxWithdraw(address owner) external view returns (uint256) {
        return previewRedeem(balanceOf(owner));
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = previewDeposit(assets);
        _enter(assets, shares, receiver);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = previewMint(shares);
        _enter(assets, shares, receiver);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        uint256 gross = convertToAssets(shares);
        uint256 fee = _exitFee(gross);
        assets = gross - fee;
        _leave(receiver, owner, assets, shares, fee);
    }

    function withdraw(uint256 assets, address receiver, address owner) external returns (uint256 shares) {
        shares = previewWithdraw(assets);
        _leave(receiver, owner, assets, shares, _feeOnTop(assets));
    }

    /// Fee that leaves exactly `assets` after it, by search over the rounding of one wei.
    function _feeOnTop(uint256 assets) private view returns (uint256 fee) {
        fee = _exitFee(assets);
        while (_exitFee(assets + fee) > fee) fee = _exitFee(assets + fee);
    }

    function _enter(uint256 assets, uint256 shares, address receiver) private {
        require(shares > 0, "zero shares");
        TokenTransfers.pull(asset, msg.sender, address(this), assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
        _afterDeposit(assets);
    }

    function _leave(address to, address owner, uint256 assets, uint256 shares, uint256 fee) internal virtual {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        _beforeWithdraw(assets);
        _burn(owner, shares);
        TokenTransfers.send(asset, to, assets);
        emit Withdraw(msg.sender, to, owner, assets, shares);
        if (fee > 0) _feePaid(assets, fee);
    }
}

/// Holds its assets itself: a donation raises the price of every share.
contract PlainVault is Erc4626 {
    constructor(address asset_, string memory name_, string memory symbol_) {
        asset = asset_;
        name = name_;
        symbol = symbol_;
    }

    function totalAssets() public view override returns (uint256) {
        return TokenTransfers.held(asset, address(this));
    }
}
