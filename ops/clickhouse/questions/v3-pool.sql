-- Price, liquidity and fees of the v3 pool {pool:String} at the end of {block:Int32}. No row: it has no price yet.
with (
  select throwIf(count() = 0, 'no segment of the lake has this block') + min(last)
  from lake_segment where first <= {block:Int32} and last >= {block:Int32}
) as at
select sqrt_price_x96, tick, liquidity, fee_growth_global0_x128, fee_growth_global1_x128, protocol_fees0, protocol_fees1,
  fee_protocol0, fee_protocol1
from v3_pool_closed
where segment = at and pool = {pool:String} and from_block <= {block:Int32} and to_block > {block:Int32}
union all
select sqrt_price_x96, tick, liquidity, fee_growth_global0_x128, fee_growth_global1_x128, protocol_fees0, protocol_fees1,
  fee_protocol0, fee_protocol1
from v3_pool_open
where segment = at and pool = {pool:String} and from_block <= {block:Int32}
