-- Who held {token:String} at any block of {from:Int32} to {to:Int32}: `amount` from the end of `from_block` on, up to and
-- including `to_block - 1`. What reaches beyond the range is cut to it.
with (
  select throwIf(countIf(first <= {from:Int32} and last >= {from:Int32}) = 0, 'no segment of the lake has the first block')
    + minIf(last, last >= {from:Int32})
  from lake_segment
) as begin, (
  select throwIf(countIf(first <= {to:Int32} and last >= {to:Int32}) = 0, 'no segment of the lake has the last block')
    + minIf(last, last >= {to:Int32})
  from lake_segment
) as end
select account, amount, greatest(from_block, {from:Int32}) as from_block, least(to_block, {to:Int32} + 1) as to_block from (
  select account, amount, from_block, to_block from holding_closed
  where segment >= begin and segment <= end and ledger = 'erc20' and token = {token:String}
    and from_block <= {to:Int32} and to_block > {from:Int32}
  union all
  select account, amount, from_block, {to:Int32} + 1 from holding_open
  where segment = end and ledger = 'erc20' and token = {token:String} and from_block <= {to:Int32}
)
where account <> '0x0000000000000000000000000000000000000000'
order by account, from_block
