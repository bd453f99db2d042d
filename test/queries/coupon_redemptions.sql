-- Printed by npm run docs: the statements of coupon_redemptions for each role. The parts in braces are below, or in shared.sql.

-- {person_of_coupon_redemption}
select to_json(obj)
from (
  select person.id, person.is_student, person.is_member
  from person
  where (person.id = coupon_redemption.person_id) and person.school_id = :school_id
) as obj

-- listCouponRedemptions, learner, lecturer
select id, coupon_id, order_id, status, created_at, updated_at, product_type, product_id, amount_off, currency,
  version as version, case
  when false then cast('staff' as text)
  when (coupon_redemption.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as,
  (
    select coupon.code
    from coupon
    where (coupon.id = coupon_redemption.coupon_id) and coupon.school_id = :school_id
  ) as code,
  ({person_of_coupon_redemption}) as person
from coupon_redemption
where (coupon_redemption.person_id = :person_id) and coupon_redemption.school_id = :school_id
order by id desc
limit 21;

-- listCouponRedemptions, staff
select id, coupon_id, order_id, status, created_at, updated_at, product_type, product_id, amount_off, currency,
  version as version, cast('staff' as text) as seen_as,
  (
    select coupon.code
    from coupon
    where (coupon.id = coupon_redemption.coupon_id) and coupon.school_id = :school_id
  ) as code,
  ({person_of_coupon_redemption}) as person
from coupon_redemption
where (true) and coupon_redemption.school_id = :school_id
order by id desc
limit 21;
