-- How much of {token:String} there was at the end of {block:Int32}: mints minus burns. No row: none.
with (
  select throwIf(count() = 0, 'no segment of the lake has this block') + min(last)
  from lake_segment where first <= {block:Int32} and last >= {block:Int32}
) as at
select amount from holding_closed
where segment = at and ledger = 'supply' and token = '' and account = {token:String} and from_block <= {block:Int32} and to_block > {block:Int32}
union all
select amount from holding_open
where segment = at and ledger = 'supply' and token = '' and account = {token:String} and from_block <= {block:Int32}
