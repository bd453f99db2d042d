-- Printed by npm run docs: the statements of coupons for each role. The parts in braces are below, or in shared.sql.

-- {applies_to_of_coupon}
select coalesce(json_agg(agg), '[]')
from (
  select coupon_item.product_type as type, coupon_item.product_id as id
  from coupon_item
  where (coupon_item.coupon_id = coupon.id) and coupon_item.school_id = :school_id
  order by coupon_item.product_type, coupon_item.product_id
) as agg

-- {status_of_coupon}
CASE
WHEN coupon.archived_at IS NOT NULL THEN 'archived'
WHEN coupon.ends_at <= now() THEN 'expired'
WHEN coupon.paused_at IS NOT NULL THEN 'paused'
WHEN coupon.redemptions_count >= coupon.max_redemptions THEN 'exhausted'
WHEN coupon.starts_at > now() THEN 'scheduled'
ELSE 'active'
END

-- listCoupons, staff
select id, code, name, duration, duration_months, audience, first_purchase_only, max_redemptions_per_person, starts_at,
  ends_at, note, max_redemptions, redemptions_count, batch_id, external_id, metadata, created_at, updated_at,
  discount_type, percent_bps, amount_off, currency, minimum_amount, version as version,
  cast('staff' as text) as seen_as, ({applies_to_of_coupon}) as applies_to, ({status_of_coupon}) as status
from coupon
where (true) and coupon.school_id = :school_id
order by id desc
limit 21;

-- getCoupon, staff
-- columns and tables of listCoupons, staff
where (true and id = :row_id) and coupon.school_id = :school_id
limit 1;
