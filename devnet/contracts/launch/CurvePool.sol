// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../islands/V3Math.sol";
import "../tokens/TokenTransfers.sol";

interface ILaunchFactory {
    function treasury() external view returns (address);
    function wbera() external view returns (address);
    function dexFactory() external view returns (address);
    function initCodeHash() external view returns (bytes32);
    function minRaise(address baseToken) external view returns (uint256);
    function minTradeSize(address baseToken) external view returns (uint256);
    function pandaPoolFees()
        external
        view
        returns (uint16 buyFee, uint16 sellFee, uint16 graduationFee, uint16 deployerFeeShare);
}

interface IV2Factory {
    function getPair(address tokenA, address tokenB) external view returns (address);
    function createPair(address tokenA, address tokenB) external returns (address);
}

interface IV2Pair {
    function mint(address to) external returns (uint256);
}

struct LaunchParams {
    address baseToken;
    uint256 sqrtPa;
    uint256 sqrtPb;
    uint256 vestingPeriod;
}

/// Sells a token along one price range and moves what it raised into a v2 pair once the range is sold out.
/// Square roots of prices (base per token, raw units) are scaled by 1e18, so prices by 1e36.
abstract contract CurvePool {
    event PoolInitialized(
        address pandaToken,
        address baseToken,
        uint256 sqrtPa,
        uint256 sqrtPb,
        uint256 vestingPeriod,
        address deployer,
        bytes data
    );
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint256 pandaReserve, uint256 baseReserve, uint256 sqrtPrice);
    event LiquidityMoved(uint256 amountPanda, uint256 amountBase);

    uint256 public constant PRICE_SCALE = 1e36;
    /// Tokens left in the curve at or under this share of `tokensInPool` count as sold out.
    uint256 private constant SOLD_OUT_BPS = 25;
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;

    address public factory;
    address public pandaToken;
    address public baseToken;
    address public deployer;
    address public dexPair;
    uint256 public sqrtPa;
    uint256 public sqrtPb;
    uint256 public sqrtP;
    uint256 public liquidity;
    uint256 public tokensInPool;
    uint256 public totalTokens;
    uint256 public pandaReserve;
    uint256 public baseReserve;
    uint256 public graduationTime;
    bool public graduated;
    uint16 public poolBuyFee;
    uint16 public poolSellFee;
    uint16 public graduationFee;
    uint16 public deployerFeeShare;
    bool private _busy;

    modifier guarded() {
        require(!_busy, "reentrant");
        _busy = true;
        _;
        _busy = false;
    }

    function isPandaToken() external view virtual returns (bool);

    /// Base tokens the whole range brings in, rounded up.
    function totalRaise() public view returns (uint256) {
        return V3Math.mulDivUp(tokensInPool, sqrtPa * sqrtPb, PRICE_SCALE);
    }

    function getCurrentPrice() external view returns (uint256) {
        return sqrtP * sqrtP;
    }

    /// `amountIn` includes the fee; what cannot be sold any more is not taken.
    function getAmountInBuy(uint256 amountOut) public view returns (uint256 amountIn, uint256 fee) {
        uint256 reserve = pandaReserve - amountOut;
        uint256 base = _baseAtPandaReserve(reserve) - baseReserve;
        amountIn = V3Math.mulDivUp(base, 10000, 10000 - poolBuyFee);
        fee = amountIn - base;
    }

    function getAmountOutBuy(uint256 amountIn) public view returns (uint256 amountOut, uint256 fee) {
        fee = V3Math.mulDivUp(amountIn, poolBuyFee, 10000);
        uint256 sqrtNext = _sqrtPriceAt(baseReserve + amountIn - fee);
        uint256 reserve = sqrtNext >= sqrtPb ? 0 : _pandaAt(sqrtNext);
        amountOut = pandaReserve > reserve ? pandaReserve - reserve : 0;
    }

    function getAmountOutSell(uint256 amountIn) public view returns (uint256 amountOut, uint256 fee) {
        uint256 left = _baseAtPandaReserve(pandaReserve + amountIn);
        uint256 gross = baseReserve > left ? baseReserve - left : 0;
        fee = V3Math.mulDivUp(gross, poolSellFee, 10000);
        amountOut = gross - fee;
    }

    /// Buys with at most `amountIn` of the base token; the buy that sells the range out graduates in the same transaction.
    function buyTokens(
        uint256 amountIn,
        uint256 minAmountOut,
        address to
    ) external guarded returns (uint256 amountOut, uint256 fee) {
        (amountIn, amountOut, fee) = _quoteBuy(amountIn, minAmountOut);
        TokenTransfers.pull(baseToken, msg.sender, address(this), amountIn);
        _settleBuy(amountIn, amountOut, fee, to);
    }

    /// The same with the native coin; what is not needed comes back.
    function buyTokensWithBera(
        uint256 minAmountOut,
        address to
    ) external payable guarded returns (uint256 amountOut, uint256 fee) {
        uint256 amountIn;
        (amountIn, amountOut, fee) = _quoteBuy(msg.value, minAmountOut);
        require(baseToken == ILaunchFactory(factory).wbera(), "base");
        IWrappedNative(baseToken).deposit{value: amountIn}();
        _settleBuy(amountIn, amountOut, fee, to);
        if (msg.value > amountIn) {
            (bool paid, ) = msg.sender.call{value: msg.value - amountIn}("");
            require(paid, "refund");
        }
    }

    function sellTokens(
        uint256 amountIn,
        uint256 minAmountOut,
        address to
    ) external guarded returns (uint256 amountOut, uint256 fee) {
        require(!graduated && amountIn > 0, "graduated");
        (amountOut, fee) = getAmountOutSell(amountIn);
        require(amountOut >= minAmountOut && amountOut > 0, "slippage");
        _takeTokens(msg.sender, amountIn);
        pandaReserve += amountIn;
        baseReserve -= amountOut + fee;
        sqrtP = _sqrtPriceAt(baseReserve);
        TokenTransfers.send(baseToken, to, amountOut);
        _payFee(fee);
        emit Swap(msg.sender, amountIn, 0, 0, amountOut, to);
        emit Sync(pandaReserve, baseReserve, sqrtP);
    }

    /// Graduates a pool that is sold out and has not done so by itself.
    function moveLiquidity() external guarded {
        require(_soldOut() && !graduated, "not sold out");
        _graduate();
    }

    function _takeTokens(address from, uint256 amount) internal virtual;

    function _giveTokens(address to, uint256 amount) internal virtual;

    function _initializeCurve(LaunchParams calldata params, address token, uint256 supply, address deployer_) internal {
        require(factory == address(0), "initialized");
        require(params.vestingPeriod == 0, "vesting");
        factory = msg.sender;
        pandaToken = token;
        baseToken = params.baseToken;
        deployer = deployer_;
        totalTokens = supply;
        (poolBuyFee, poolSellFee, graduationFee, deployerFeeShare) = ILaunchFactory(factory).pandaPoolFees();
        (sqrtPa, sqrtPb) = (params.sqrtPa, params.sqrtPb);
        require(sqrtPb * 10 >= sqrtPa * 11 && sqrtPb <= sqrtPa * 10, "price range");
        tokensInPool = V3Math.mulDiv(supply, sqrtPb, sqrtPa + sqrtPb - (sqrtPa * graduationFee) / 10000);
        require(tokensInPool * 2 >= supply && tokensInPool * 10 <= supply * 9, "tokens in pool");
        liquidity = V3Math.mulDiv(tokensInPool, sqrtPa * sqrtPb, sqrtPb - sqrtPa);
        uint256 least = ILaunchFactory(factory).minRaise(params.baseToken);
        require(least > 0 && totalRaise() >= least, "raise");
        sqrtP = params.sqrtPa;
        pandaReserve = tokensInPool;
        dexPair = _pairAddress();
        emit Sync(pandaReserve, 0, sqrtP);
    }

    function _quoteBuy(
        uint256 offered,
        uint256 minAmountOut
    ) private view returns (uint256 amountIn, uint256 amountOut, uint256 fee) {
        require(!graduated, "graduated");
        require(offered >= ILaunchFactory(factory).minTradeSize(baseToken), "trade size");
        amountIn = offered;
        (amountOut, fee) = getAmountOutBuy(offered);
        if (amountOut >= pandaReserve) {
            amountOut = pandaReserve;
            (amountIn, fee) = getAmountInBuy(amountOut);
            if (amountIn > offered) amountIn = offered;
        }
        require(amountOut >= minAmountOut && amountOut > 0, "slippage");
    }

    function _settleBuy(uint256 amountIn, uint256 amountOut, uint256 fee, address to) private {
        pandaReserve -= amountOut;
        baseReserve += amountIn - fee;
        sqrtP = _sqrtPriceAt(baseReserve);
        if (sqrtP > sqrtPb) sqrtP = sqrtPb;
        _giveTokens(to, amountOut);
        _payFee(fee);
        emit Swap(msg.sender, 0, amountIn, amountOut, 0, to);
        emit Sync(pandaReserve, baseReserve, sqrtP);
        if (_soldOut()) _graduate();
    }

    function _payFee(uint256 fee) private {
        if (fee == 0) return;
        uint256 deployers = (fee * deployerFeeShare) / 10000;
        if (deployers > 0) TokenTransfers.send(baseToken, deployer, deployers);
        TokenTransfers.send(baseToken, ILaunchFactory(factory).treasury(), fee - deployers);
    }

    function _soldOut() private view returns (bool) {
        return pandaReserve * 10000 <= tokensInPool * SOLD_OUT_BPS;
    }

    /// Base less the graduation fee, and as many tokens as put the pair at the curve's price; unsold tokens go with the rest to the treasury.
    function _graduate() private {
        graduated = true;
        graduationTime = block.timestamp;
        address treasury = ILaunchFactory(factory).treasury();
        uint256 fee = (baseReserve * graduationFee) / 10000;
        uint256 amountBase = baseReserve - fee;
        uint256 amountPanda = V3Math.mulDiv(V3Math.mulDiv(amountBase, 1e18, sqrtP), 1e18, sqrtP);
        uint256 unsold = totalTokens - tokensInPool + pandaReserve;
        if (amountPanda > unsold) amountPanda = unsold;
        (pandaReserve, baseReserve) = (0, 0);
        IV2Factory dex = IV2Factory(ILaunchFactory(factory).dexFactory());
        if (dex.getPair(pandaToken, baseToken) == address(0)) dex.createPair(pandaToken, baseToken);
        _giveTokens(dexPair, amountPanda);
        TokenTransfers.send(baseToken, dexPair, amountBase);
        IV2Pair(dexPair).mint(DEAD);
        uint256 deployers = (fee * deployerFeeShare) / 10000;
        if (deployers > 0) TokenTransfers.send(baseToken, deployer, deployers);
        if (fee > deployers) TokenTransfers.send(baseToken, treasury, fee - deployers);
        if (unsold > amountPanda) _giveTokens(treasury, unsold - amountPanda);
        emit LiquidityMoved(amountPanda, amountBase);
        emit Sync(0, 0, sqrtP);
    }

    function _sqrtPriceAt(uint256 base) private view returns (uint256) {
        return sqrtPa + V3Math.mulDiv(base, PRICE_SCALE, liquidity);
    }

    function _pandaAt(uint256 sqrtPrice) private view returns (uint256) {
        return V3Math.mulDivUp(V3Math.mulDivUp(liquidity, sqrtPb - sqrtPrice, sqrtPrice), 1, sqrtPb);
    }

    /// Inverse of `_pandaAt`, rounded up: sqrtP = L × sqrtPb / (L + reserve × sqrtPb).
    function _baseAtPandaReserve(uint256 reserve) private view returns (uint256) {
        uint256 sqrtPrice = V3Math.mulDivUp(liquidity, sqrtPb, liquidity + reserve * sqrtPb);
        return sqrtPrice <= sqrtPa ? 0 : V3Math.mulDivUp(liquidity, sqrtPrice - sqrtPa, PRICE_SCALE);
    }

    function _pairAddress() private view returns (address) {
        (address a, address b) = pandaToken < baseToken ? (pandaToken, baseToken) : (baseToken, pandaToken);
        bytes32 salt = keccak256(abi.encodePacked(a, b));
        ILaunchFactory f = ILaunchFactory(factory);
        bytes32 hash = keccak256(abi.encodePacked(hex"ff", f.dexFactory(), salt, f.initCodeHash()));
        return address(uint160(uint256(hash)));
    }
}
