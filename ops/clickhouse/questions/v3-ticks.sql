-- The initialised ticks of the v3 pool {pool:String} at the end of {block:Int32}.
with (
  select throwIf(count() = 0, 'no segment of the lake has this block') + min(last)
  from lake_segment where first <= {block:Int32} and last >= {block:Int32}
) as at
select tick, liquidity_gross, liquidity_net from (
  select tick, liquidity_gross, liquidity_net from v3_tick_closed
  where segment = at and pool = {pool:String} and from_block <= {block:Int32} and to_block > {block:Int32}
  union all
  select tick, liquidity_gross, liquidity_net from v3_tick_open
  where segment = at and pool = {pool:String} and from_block <= {block:Int32}
)
order by tick
