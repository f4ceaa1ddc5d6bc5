-- What {account:String} held at the end of {block:Int32} in every ledger: wallets ('erc20'), stakes and the others.
with (
  select throwIf(count() = 0, 'no segment of the lake has this block') + min(last)
  from lake_segment where first <= {block:Int32} and last >= {block:Int32}
) as at
select ledger, token, amount from (
  select ledger, token, amount from holding_closed
  where segment = at and account = {account:String} and from_block <= {block:Int32} and to_block > {block:Int32}
  union all
  select ledger, token, amount from holding_open
  where segment = at and account = {account:String} and from_block <= {block:Int32}
)
where ledger <> 'supply'
order by ledger, token
