// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./MintableToken.sol";

/// Mints the largest amount there is, again and again.
contract OverflowingToken is MintableToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) MintableToken(name_, symbol_, decimals_) {}

    function mintMax(address to) external {
        unchecked {
            totalSupply += type(uint256).max;
            _balances[to] += type(uint256).max;
        }
        emit Transfer(address(0), to, type(uint256).max);
    }
}

/// Announces transfers out of accounts that never held anything.
contract PhantomSpendToken is MintableToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) MintableToken(name_, symbol_, decimals_) {}

    function spend(address from, address to, uint256 value) external {
        unchecked {
            _balances[from] -= value;
            _balances[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// An honest ledger whose name and symbol cannot be read.
contract RevertingNameToken is Erc20 {
    uint8 public constant decimals = 18;

    function name() external pure returns (string memory) {
        revert("no name");
    }

    function symbol() external pure returns (string memory) {
        revert("no symbol");
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

/// ERC-721-like: the same Transfer signature with the third field indexed.
contract NftLike {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    string public constant name = "Bears";
    string public constant symbol = "BEAR";
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == address(0), "minted");
        ownerOf[tokenId] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, tokenId);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == from && from == msg.sender, "owner");
        ownerOf[tokenId] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, tokenId);
    }
}

/// Logs with Transfer's topic0 that are no ERC-20 Transfer.
contract MalformedTransfers {
    bytes32 private constant TOPIC = keccak256("Transfer(address,address,uint256)");

    /// One topic, no data.
    function topicOnly() external {
        bytes32 topic = TOPIC;
        assembly {
            log1(0, 0, topic)
        }
    }

    /// One topic, the three fields as data words.
    function threeWords(address from, address to, uint256 value) external {
        bytes32 topic = TOPIC;
        bytes memory data = abi.encode(from, to, value);
        assembly {
            log1(add(data, 32), mload(data), topic)
        }
    }

    /// Both indexed fields, but only half a word of data.
    function shortData(address from, address to) external {
        bytes32 topic = TOPIC;
        assembly {
            log3(0, 16, topic, from, to)
        }
    }
}
