-- How many accounts held {token:String} at the end of {block:Int32}, and how much together.
with (
  select throwIf(count() = 0, 'no segment of the lake has this block') + min(last)
  from lake_segment where first <= {block:Int32} and last >= {block:Int32}
) as at
select count() as holders, sum(amount) as held from (
  select account, amount from holding_closed
  where segment = at and ledger = 'erc20' and token = {token:String} and from_block <= {block:Int32} and to_block > {block:Int32}
  union all
  select account, amount from holding_open
  where segment = at and ledger = 'erc20' and token = {token:String} and from_block <= {block:Int32}
)
where account <> '0x0000000000000000000000000000000000000000'
