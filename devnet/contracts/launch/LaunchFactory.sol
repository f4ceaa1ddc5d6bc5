// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Clones.sol";
import "./LaunchToken.sol";

/// Launches tokens on a curve, at CREATE2 addresses by deployer and his count of launches.
contract LaunchFactory {
    event PandaDeployed(address indexed pandaPool, address indexed implementation);
    event FactorySet(address indexed factory, bytes32 initCodeHash);
    event WberaSet(address indexed wbera);
    event TreasurySet(address indexed treasury);
    event PandaPoolFeesSet(uint16 buyFee, uint16 sellFee, uint16 graduationFee, uint16 deployerFeeShare);
    event MinRaiseSet(address indexed baseToken, uint256 minRaise);
    event MinTradeSizeSet(address indexed baseToken, uint256 minTradeSize);
    event AllowedImplementationSet(address indexed implementation, bool allowed);

    struct Fees {
        uint16 buyFee;
        uint16 sellFee;
        uint16 graduationFee;
        uint16 deployerFeeShare;
    }

    address public immutable owner;
    address public treasury;
    address public wbera;
    address public dexFactory;
    bytes32 public initCodeHash;
    Fees public pandaPoolFees;
    mapping(address => uint256) public minRaise;
    mapping(address => uint256) public minTradeSize;
    mapping(address => bool) public allowedImplementations;
    mapping(address => uint256) public deployerNonce;
    address[] public allPools;

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    constructor(address owner_) {
        owner = owner_;
    }

    function deployPandaToken(
        LaunchParams calldata params,
        address implementation,
        string calldata name,
        string calldata symbol
    ) external returns (address pool) {
        pool = _clone(implementation);
        LaunchToken(pool).initialize(params, msg.sender, abi.encode(name, symbol));
        emit PandaDeployed(pool, implementation);
    }

    /// Launches over the wrapped native and buys for the deployer with the coin sent along.
    function deployPandaTokenWithBera(
        LaunchParams calldata params,
        address implementation,
        string calldata name,
        string calldata symbol,
        uint256 minAmountOut
    ) external payable returns (address pool) {
        require(params.baseToken == wbera, "base");
        pool = _clone(implementation);
        LaunchToken(pool).initialize(params, msg.sender, abi.encode(name, symbol));
        emit PandaDeployed(pool, implementation);
        LaunchToken(pool).buyTokensWithBera{value: msg.value}(minAmountOut, msg.sender);
    }

    /// Launches `supply` of an existing token, taken from the caller, in a pool of its own.
    function deployPandaPool(
        LaunchParams calldata params,
        address implementation,
        address pandaToken,
        uint256 supply
    ) external returns (address pool) {
        pool = _clone(implementation);
        TokenTransfers.pull(pandaToken, msg.sender, pool, supply);
        LaunchPool(pool).initialize(params, pandaToken, supply, msg.sender, "");
        emit PandaDeployed(pool, implementation);
    }

    function predictPandaAddress(address implementation, address deployer) external view returns (address) {
        return Clones.predict(implementation, _salt(deployer), address(this));
    }

    function setFactory(address factory, bytes32 initCodeHash_) external onlyOwner {
        dexFactory = factory;
        initCodeHash = initCodeHash_;
        emit FactorySet(factory, initCodeHash_);
    }

    function setWbera(address wbera_) external onlyOwner {
        wbera = wbera_;
        emit WberaSet(wbera_);
    }

    function setTreasury(address treasury_) external onlyOwner {
        treasury = treasury_;
        emit TreasurySet(treasury_);
    }

    /// Applies to pools launched from now on.
    function setPandaPoolFees(
        uint16 buyFee,
        uint16 sellFee,
        uint16 graduationFee,
        uint16 deployerFeeShare
    ) external onlyOwner {
        require(buyFee <= 1000 && sellFee <= 1000 && graduationFee <= 1000, "fees");
        require(deployerFeeShare <= 10000, "share");
        pandaPoolFees = Fees(buyFee, sellFee, graduationFee, deployerFeeShare);
        emit PandaPoolFeesSet(buyFee, sellFee, graduationFee, deployerFeeShare);
    }

    function setMinRaise(address baseToken, uint256 amount) external onlyOwner {
        minRaise[baseToken] = amount;
        emit MinRaiseSet(baseToken, amount);
    }

    function setMinTradeSize(address baseToken, uint256 amount) external onlyOwner {
        minTradeSize[baseToken] = amount;
        emit MinTradeSizeSet(baseToken, amount);
    }

    function setAllowedImplementation(address implementation, bool allowed) external onlyOwner {
        allowedImplementations[implementation] = allowed;
        emit AllowedImplementationSet(implementation, allowed);
    }

    function allPoolsLength() external view returns (uint256) {
        return allPools.length;
    }

    function _clone(address implementation) private returns (address pool) {
        require(allowedImplementations[implementation], "implementation");
        pool = Clones.cloneDeterministic(implementation, _salt(msg.sender));
        deployerNonce[msg.sender]++;
        allPools.push(pool);
    }

    function _salt(address deployer) private view returns (bytes32) {
        return keccak256(abi.encodePacked(deployer, deployerNonce[deployer]));
    }
}
