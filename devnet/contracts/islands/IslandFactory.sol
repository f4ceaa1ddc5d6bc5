// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Clones.sol";
import "./IslandShares.sol";

/// Clones islands of the implementation current at the time. Manager zero makes a permissionless one.
contract IslandFactory {
    event IslandCreated(
        address indexed uniPool,
        address indexed manager,
        address indexed island,
        address implementation
    );
    event UpdateIslandImplementation(address newImplementation);
    event TreasurySet(address indexed treasury);
    event IslandFeeSet(uint16 fee);

    address public immutable owner;
    address public islandImplementation;
    address public treasury;
    uint16 public islandFee = 500;
    address[] public v3Factories;
    address[] public allIslands;

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    constructor(address implementation, address[] memory v3Factories_, address owner_) {
        owner = owner_;
        islandImplementation = implementation;
        v3Factories = v3Factories_;
        treasury = owner_;
        emit UpdateIslandImplementation(implementation);
        emit TreasurySet(owner_);
        emit IslandFeeSet(islandFee);
    }

    /// Over the pool of the first v3 factory.
    function deployVault(
        address tokenA,
        address tokenB,
        uint24 uniFee,
        address manager,
        address managerTreasury,
        uint16 managerFee,
        int24 lowerTick,
        int24 upperTick
    ) external returns (address) {
        address pool = IV3Factory(v3Factories[0]).getPool(tokenA, tokenB, uniFee);
        return deployVaultForPool(pool, manager, managerTreasury, managerFee, lowerTick, upperTick);
    }

    /// Over any pool of one of the v3 factories.
    function deployVaultForPool(
        address pool,
        address manager,
        address managerTreasury,
        uint16 managerFee,
        int24 lowerTick,
        int24 upperTick
    ) public returns (address island) {
        require(_isPool(pool), "pool");
        island = Clones.clone(islandImplementation);
        allIslands.push(island);
        emit IslandCreated(pool, manager, island, islandImplementation);
        (string memory name, string memory symbol) = _names(pool);
        IslandShares(island).initialize(
            name,
            symbol,
            pool,
            managerFee,
            lowerTick,
            upperTick,
            manager,
            managerTreasury
        );
    }

    function setIslandImplementation(address implementation) external onlyOwner {
        islandImplementation = implementation;
        emit UpdateIslandImplementation(implementation);
    }

    function setTreasury(address treasury_) external onlyOwner {
        treasury = treasury_;
        emit TreasurySet(treasury_);
    }

    function setIslandFee(uint16 fee) external onlyOwner {
        require(fee <= 2000, "fee");
        islandFee = fee;
        emit IslandFeeSet(fee);
    }

    function allIslandsLength() external view returns (uint256) {
        return allIslands.length;
    }

    function _isPool(address pool) private view returns (bool) {
        if (pool == address(0)) return false;
        (address token0, address token1) = (IV3Pool(pool).token0(), IV3Pool(pool).token1());
        uint24 fee = IV3Pool(pool).fee();
        for (uint256 i = 0; i < v3Factories.length; i++)
            if (IV3Factory(v3Factories[i]).getPool(token0, token1, fee) == pool) return true;
        return false;
    }

    function _names(address pool) private view returns (string memory name, string memory symbol) {
        string memory symbol0 = _symbol(IV3Pool(pool).token0());
        string memory symbol1 = _symbol(IV3Pool(pool).token1());
        string memory fee = _percent(IV3Pool(pool).fee());
        name = string.concat("Kodiak Island ", symbol0, "-", symbol1, "-", fee);
        symbol = string.concat("KODI ", symbol0, "-", symbol1);
    }

    function _symbol(address token) private view returns (string memory) {
        (bool answered, bytes memory data) = token.staticcall(abi.encodeCall(IErc20.symbol, ()));
        if (!answered || data.length < 96) return "?";
        return abi.decode(data, (string));
    }

    function _percent(uint24 fee) private pure returns (string memory) {
        if (fee == 100) return "0.01%";
        if (fee == 500) return "0.05%";
        if (fee == 3000) return "0.3%";
        if (fee == 10000) return "1%";
        return "2%";
    }
}
