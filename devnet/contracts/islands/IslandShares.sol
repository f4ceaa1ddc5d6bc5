// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Erc20.sol";
import "../tokens/TokenTransfers.sol";
import "./V3Pools.sol";

interface IIslandFactory {
    function treasury() external view returns (address);
    function islandFee() external view returns (uint16);
    function owner() external view returns (address);
}

/// Who runs an island, what he earns, and the share token. Set up once by the factory that cloned it.
abstract contract IslandShares is Erc20 {
    event UpdateManagerParams(
        uint16 managerFeeBPS,
        address managerTreasury,
        uint16 compounderSlippageBPS,
        uint32 compounderSlippageInterval
    );
    event OwnershipTransferred(address indexed previousManager, address indexed newManager);
    event PauserSet(address indexed pauser, bool status);
    event RestrictedMintSet(bool status);
    event RouterSet(address indexed router, bool status);
    event Paused(address account);
    event Unpaused(address account);

    string public constant version = "1.0.0";
    uint8 public constant decimals = 18;

    string public name;
    string public symbol;
    IV3Pool public pool;
    address public token0;
    address public token1;
    IIslandFactory public islandFactory;
    int24 public lowerTick;
    int24 public upperTick;
    address public manager;
    uint16 public managerFeeBPS;
    address public managerTreasury;
    uint256 public managerBalance0;
    uint256 public managerBalance1;
    uint16 public compounderSlippageBPS;
    uint32 public compounderSlippageInterval;
    bool public restrictedMint;
    bool public paused;
    mapping(address => bool) public isPauser;
    mapping(address => bool) public isRouter;
    bool internal _busy;

    modifier onlyManager() {
        require(msg.sender == manager, "manager");
        _;
    }

    modifier guarded() {
        require(!_busy, "reentrant");
        require(!paused, "paused");
        _busy = true;
        _;
        _busy = false;
    }

    /// A managed island emits nothing here: its ticks and fee can only be read.
    function initialize(
        string calldata name_,
        string calldata symbol_,
        address pool_,
        uint16 managerFeeBPS_,
        int24 lowerTick_,
        int24 upperTick_,
        address manager_,
        address managerTreasury_
    ) external {
        require(address(pool) == address(0) && pool_ != address(0), "initialized");
        int24 spacing = IV3Pool(pool_).tickSpacing();
        require(lowerTick_ < upperTick_ && lowerTick_ % spacing == 0 && upperTick_ % spacing == 0, "ticks");
        name = name_;
        symbol = symbol_;
        pool = IV3Pool(pool_);
        token0 = pool.token0();
        token1 = pool.token1();
        islandFactory = IIslandFactory(msg.sender);
        lowerTick = lowerTick_;
        upperTick = upperTick_;
        compounderSlippageBPS = 500;
        compounderSlippageInterval = 300;
        manager = manager_;
        if (manager_ == address(0)) {
            _takeParamsFromFactory();
            _emitParams();
        } else {
            require(managerFeeBPS_ <= 10000, "bps");
            managerFeeBPS = managerFeeBPS_;
            managerTreasury = managerTreasury_;
        }
    }

    function isManaged() public view returns (bool) {
        return manager != address(0);
    }

    function owner() external view returns (address) {
        return manager;
    }

    /// Negative numbers leave a setting as it is, so does the zero address.
    function updateManagerParams(
        int16 newManagerFeeBPS,
        address newManagerTreasury,
        int16 newSlippageBPS,
        int32 newSlippageInterval
    ) external onlyManager {
        require(newManagerFeeBPS <= 10000 && newSlippageBPS <= 10000, "bps");
        if (newManagerFeeBPS >= 0) managerFeeBPS = uint16(newManagerFeeBPS);
        if (newManagerTreasury != address(0)) managerTreasury = newManagerTreasury;
        if (newSlippageBPS >= 0) compounderSlippageBPS = uint16(newSlippageBPS);
        if (newSlippageInterval >= 0) compounderSlippageInterval = uint32(newSlippageInterval);
        _emitParams();
    }

    /// A permissionless island follows the factory's fee and treasury; anyone may bring them up to date.
    function syncToFactory() external {
        require(!isManaged(), "managed");
        _takeParamsFromFactory();
        _emitParams();
    }

    function transferOwnership(address newManager) external onlyManager {
        require(newManager != address(0), "zero");
        emit OwnershipTransferred(manager, newManager);
        manager = newManager;
    }

    /// What the manager had not withdrawn becomes the holders' without a transfer; fee and treasury become the factory's.
    function renounceOwnership() external onlyManager {
        managerBalance0 = 0;
        managerBalance1 = 0;
        _takeParamsFromFactory();
        emit OwnershipTransferred(manager, address(0));
        manager = address(0);
    }

    /// Anyone may pay the manager's balance out to the treasury. No event but the two transfers.
    function withdrawManagerBalance() external guarded {
        (uint256 amount0, uint256 amount1) = (managerBalance0, managerBalance1);
        managerBalance0 = 0;
        managerBalance1 = 0;
        if (amount0 > 0) TokenTransfers.send(token0, managerTreasury, amount0);
        if (amount1 > 0) TokenTransfers.send(token1, managerTreasury, amount1);
    }

    function setRestrictedMint(bool status) external onlyManager {
        restrictedMint = status;
        emit RestrictedMintSet(status);
    }

    function setPauser(address pauser, bool status) external onlyManager {
        isPauser[pauser] = status;
        emit PauserSet(pauser, status);
    }

    function setRouter(address router, bool status) external onlyManager {
        isRouter[router] = status;
        emit RouterSet(router, status);
    }

    function pause() external {
        require(msg.sender == manager || isPauser[msg.sender], "pauser");
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external onlyManager {
        paused = false;
        emit Unpaused(msg.sender);
    }

    function _takeParamsFromFactory() private {
        managerFeeBPS = islandFactory.islandFee();
        managerTreasury = islandFactory.treasury();
    }

    function _emitParams() private {
        emit UpdateManagerParams(managerFeeBPS, managerTreasury, compounderSlippageBPS, compounderSlippageInterval);
    }
}
