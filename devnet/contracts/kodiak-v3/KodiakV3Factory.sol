// SPDX-License-Identifier: GPL-2.0-or-later
pragma solidity =0.7.6;

import "@uniswap/v3-core/contracts/interfaces/IUniswapV3PoolDeployer.sol";
import "./KodiakV3Pool.sol";

/// A v3 factory whose pools start with a protocol fee that no event tells.
contract KodiakV3Factory is IUniswapV3PoolDeployer {
    event OwnerChanged(address indexed oldOwner, address indexed newOwner);
    event PoolCreated(
        address indexed token0,
        address indexed token1,
        uint24 indexed fee,
        int24 tickSpacing,
        address pool
    );
    event FeeAmountEnabled(uint24 indexed fee, int24 indexed tickSpacing);

    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public override parameters;
    address public owner;
    /// Two shares of the swap fee in 1/10,000, for token0 in the low and for token1 in the high 16 bits: 35 % each at first.
    uint32 public defaultFeeProtocol = 229379500;
    mapping(uint24 => int24) public feeAmountTickSpacing;
    mapping(address => mapping(address => mapping(uint24 => address))) public getPool;

    constructor() {
        owner = msg.sender;
        emit OwnerChanged(address(0), msg.sender);
        _enable(100, 1);
        _enable(500, 10);
        _enable(3000, 60);
        _enable(10000, 200);
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool) {
        require(tokenA != tokenB);
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        int24 tickSpacing = feeAmountTickSpacing[fee];
        require(token0 != address(0) && tickSpacing != 0 && getPool[token0][token1][fee] == address(0));
        parameters = Parameters(address(this), token0, token1, fee, tickSpacing);
        pool = address(new KodiakV3Pool{salt: keccak256(abi.encode(token0, token1, fee))}());
        delete parameters;
        getPool[token0][token1][fee] = pool;
        getPool[token1][token0][fee] = pool;
        emit PoolCreated(token0, token1, fee, tickSpacing, pool);
    }

    function setOwner(address newOwner) external onlyOwner {
        emit OwnerChanged(owner, newOwner);
        owner = newOwner;
    }

    function enableFeeAmount(uint24 fee, int24 tickSpacing) external onlyOwner {
        require(fee < 1000000 && tickSpacing > 0 && tickSpacing < 16384 && feeAmountTickSpacing[fee] == 0);
        _enable(fee, tickSpacing);
    }

    /// For pools initialized from now on.
    function setDefaultFeeProtocol(uint32 feeProtocol) external onlyOwner {
        defaultFeeProtocol = feeProtocol;
    }

    function _enable(uint24 fee, int24 tickSpacing) private {
        feeAmountTickSpacing[fee] = tickSpacing;
        emit FeeAmountEnabled(fee, tickSpacing);
    }
}
