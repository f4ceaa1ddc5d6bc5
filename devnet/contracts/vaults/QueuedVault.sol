// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Erc4626.sol";

/// Imitates Berachain's WBERAStakerVault (src/pol/WBERAStakerVault.sol): who leaves has his shares burnt at once; what they
/// were worth waits here, part of nobody's share, until it is paid after a while, or put back for shares at their new price.
contract QueuedVault is Erc4626 {
    event WithdrawalRequested(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );
    event WithdrawalCancelled(
        address indexed sender, address indexed owner, uint256 assets, uint256 shares, uint256 newSharesMinted
    );
    event WithdrawalCompleted(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    struct WithdrawalRequest {
        uint256 assets;
        uint256 shares;
        uint256 requestTime;
        address owner;
        address receiver;
    }

    uint256 public immutable WITHDRAWAL_COOLDOWN;
    uint256 public reservedAssets;
    WithdrawalRequest[] private requests;
    mapping(uint256 => address) private senderOf;
    mapping(address => uint256[]) private idsOf;

    constructor(address asset_, string memory name_, string memory symbol_, uint256 cooldown) {
        asset = asset_;
        name = name_;
        symbol = symbol_;
        WITHDRAWAL_COOLDOWN = cooldown;
    }

    function totalAssets() public view override returns (uint256) {
        return TokenTransfers.held(asset, address(this)) - reservedAssets;
    }

    /// Ids of all requests of `sender`, ended ones included: those have no assets.
    function getERC721WithdrawalRequestIds(address sender) external view returns (uint256[] memory) {
        return idsOf[sender];
    }

    function getERC721WithdrawalRequest(uint256 id) external view returns (WithdrawalRequest memory) {
        return requests[id];
    }

    function queueRedeem(uint256 shares, address receiver, address owner) external returns (uint256 assets, uint256 id) {
        assets = convertToAssets(shares);
        id = requests.length;
        _leave(receiver, owner, assets, shares, 0);
    }

    function cancelQueuedWithdrawal(uint256 id) external {
        require(senderOf[id] == msg.sender, "not yours");
        WithdrawalRequest memory request = _end(id);
        uint256 shares = convertToShares(request.assets);
        reservedAssets -= request.assets;
        _mint(msg.sender, shares);
        emit WithdrawalCancelled(msg.sender, request.owner, request.assets, request.shares, shares);
    }

    /// Anybody may. It is always paid in the token here.
    function completeWithdrawal(bool, uint256 id) external {
        WithdrawalRequest memory request = _end(id);
        require(block.timestamp >= request.requestTime + WITHDRAWAL_COOLDOWN, "too early");
        reservedAssets -= request.assets;
        TokenTransfers.send(asset, request.receiver, request.assets);
        emit WithdrawalCompleted(msg.sender, request.receiver, request.owner, request.assets, request.shares);
    }

    function _end(uint256 id) private returns (WithdrawalRequest memory request) {
        request = requests[id];
        require(request.assets > 0, "no such request");
        requests[id].assets = 0;
    }

    function _leave(address receiver, address owner, uint256 assets, uint256 shares, uint256) internal override {
        require(assets > 0, "zero assets");
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        _burn(owner, shares);
        senderOf[requests.length] = msg.sender;
        idsOf[msg.sender].push(requests.length);
        requests.push(WithdrawalRequest(assets, shares, block.timestamp, owner, receiver));
        reservedAssets += assets;
        emit WithdrawalRequested(msg.sender, receiver, owner, assets, shares);
    }
}
