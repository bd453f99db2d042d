-- Printed by npm run docs: the statements of subscriptions for each role. The parts in braces are below, or in shared.sql.

-- {discount_of_subscription}
select to_json(obj)
from (
  select coupon.id as coupon_id, coupon.code, subscription.discount_ends_at as ends_at
  from coupon
  where (
    coupon.id = subscription.coupon_id
    and (subscription.discount_ends_at is null or subscription.discount_ends_at > now())
  )
    and coupon.school_id = :school_id
) as obj

-- {pending_change_of_subscription}
select to_json(obj)
from (
  select plan_price.plan_id, plan_price.id as price_id, subscription.pending_effective_at as effective_at
  from plan_price
  where (plan_price.id = subscription.pending_price_id) and plan_price.school_id = :school_id
) as obj

-- listSubscriptions, learner, lecturer
select id, plan_id, price_id, status, collection, started_at, current_period_start, current_period_end, trial_ends_at,
  cancel_at_period_end, cancel_at, canceled_at, ended_at, latest_order_id, external_id, metadata, created_at,
  updated_at, person_id, amount, currency, cancellation_reason, cancellation_comment, paused_at, resumes_at,
  version as version, case
  when false then cast('staff' as text)
  when (subscription.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({discount_of_subscription}) as discount, ({pending_change_of_subscription}) as pending_change,
  ({shared.subscription_status_condition}) as access
from subscription
where (subscription.person_id = :person_id and NOT EXISTS ({shared.school_memberships_false}))
  and subscription.school_id = :school_id
order by id desc
limit 21;

-- listSubscriptions, staff
-- the first 3 lines of listSubscriptions, learner, lecturer
  version as version, cast('staff' as text) as seen_as, ({discount_of_subscription}) as discount,
  ({pending_change_of_subscription}) as pending_change, ({shared.subscription_status_condition}) as access
from subscription
where (true) and subscription.school_id = :school_id
order by id desc
limit 21;

-- getSubscription, learner, lecturer
-- columns and tables of listSubscriptions, learner, lecturer
where ((subscription.person_id = :person_id and NOT EXISTS ({shared.school_memberships_false})) and id = :row_id)
  and subscription.school_id = :school_id
limit 1;

-- getSubscription, staff
-- columns and tables of listSubscriptions, staff
where (true and id = :row_id) and subscription.school_id = :school_id
limit 1;
