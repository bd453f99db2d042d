-- Printed by npm run docs: the statements of membership_plans for each role. The parts in braces are below, or in shared.sql.

-- {digital_product_ids_of_plan_item}
where (
  plan_item.product_type = 'digital_product'
  and exists (
    select digital_product.id
    from digital_product
    where (digital_product.id = plan_item.product_id and digital_product.status = 'published')
      and digital_product.school_id = :school_id
  )
)

-- {includes_of_membership_plan}
select to_json(obj)
from (
  select membership_plan.includes_all_courses as all_courses, membership_plan.includes_all_events as all_events,
    array_agg(plan_item.product_id order by plan_item.product_id) filter(
      where (
        plan_item.product_type = 'course'
        and exists (
          select course.id
          from course
          where (course.id = plan_item.product_id and (status = 'published' and visibility = 'public'))
            and course.school_id = :school_id
        )
      )
    ) as course_ids,
    array_agg(plan_item.product_id order by plan_item.product_id) filter({digital_product_ids_of_plan_item}) as digital_product_ids
  from plan_item
  where (plan_item.plan_id = membership_plan.id) and plan_item.school_id = :school_id
) as obj

-- {includes_of_membership_plan_2}
select to_json(obj)
from (
  select membership_plan.includes_all_courses as all_courses, membership_plan.includes_all_events as all_events,
    array_agg(plan_item.product_id order by plan_item.product_id) filter(
      where (
        plan_item.product_type = 'course'
        and exists (
          select course.id
          from course
          where (course.id = plan_item.product_id and ({shared.status_condition})) and course.school_id = :school_id
        )
      )
    ) as course_ids,
    array_agg(plan_item.product_id order by plan_item.product_id) filter({digital_product_ids_of_plan_item}) as digital_product_ids
  from plan_item
  where (plan_item.plan_id = membership_plan.id) and plan_item.school_id = :school_id
) as obj

-- {includes_of_membership_plan_3}
select to_json(obj)
from (
  select membership_plan.includes_all_courses as all_courses, membership_plan.includes_all_events as all_events,
    array_agg(plan_item.product_id order by plan_item.product_id) filter(
      where (
        plan_item.product_type = 'course'
        and exists (
          select course.id
          from course
          where (course.id = plan_item.product_id and true) and course.school_id = :school_id
        )
      )
    ) as course_ids,
    array_agg(plan_item.product_id order by plan_item.product_id) filter(
      where (
        plan_item.product_type = 'digital_product'
        and exists (
          select digital_product.id
          from digital_product
          where (digital_product.id = plan_item.product_id and true) and digital_product.school_id = :school_id
        )
      )
    ) as digital_product_ids
  from plan_item
  where (plan_item.plan_id = membership_plan.id) and plan_item.school_id = :school_id
) as obj

-- {is_free_of_membership_plan}
exists (
  select
  from plan_price
  where (plan_price.plan_id = membership_plan.id and plan_price.active = true) and plan_price.school_id = :school_id
)
and not exists (
  select
  from plan_price
  where (plan_price.plan_id = membership_plan.id and plan_price.amount > '0') and plan_price.school_id = :school_id
)

-- {prices_of_membership_plan}
select coalesce(json_agg(agg), '[]')
from (
  select id, interval, interval_count, amount, currency, trial_days, active, created_at
  from plan_price
  where (plan_price.plan_id = membership_plan.id and plan_price.active = true) and plan_price.school_id = :school_id
  order by plan_price.id
) as agg

-- {prices_of_membership_plan_2}
select coalesce(json_agg(agg), '[]')
from (
  select id, interval, interval_count, amount, currency, trial_days, active, created_at
  from plan_price
  where (plan_price.plan_id = membership_plan.id and true) and plan_price.school_id = :school_id
  order by plan_price.id
) as agg

-- listPlans, anonymous
select id, name, slug, description, description_format, description_html, status, visibility, benefits, manual_renewal,
  max_members, position, badge, external_id, metadata, created_at, updated_at, version as version,
  cast('public' as text) as seen_as, ({includes_of_membership_plan}) as includes,
  ({prices_of_membership_plan}) as prices, ({is_free_of_membership_plan}) as is_free, case
  when NOT EXISTS ({shared.school_show_counts_false}) then membership_plan.subscribers_count
  end as subscribers_count
from membership_plan
where (({shared.membership_plan_status_condition}) and NOT EXISTS ({shared.school_memberships_false}))
  and membership_plan.school_id = :school_id
order by position asc, id asc
limit 21;

-- listPlans, learner, lecturer
select id, name, slug, description, description_format, description_html, status, visibility, benefits, manual_renewal,
  max_members, position, badge, external_id, metadata, created_at, updated_at, version as version, case
  when false then cast('staff' as text)
  when (exists ({shared.subscription_of_membership_plan}) or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({includes_of_membership_plan_2}) as includes, ({prices_of_membership_plan}) as prices,
  ({is_free_of_membership_plan}) as is_free, case
  when NOT EXISTS ({shared.school_show_counts_false}) then membership_plan.subscribers_count
  end as subscribers_count
from membership_plan
where (
  (({shared.membership_plan_status_condition}) or exists ({shared.subscription_of_membership_plan}))
  and NOT EXISTS ({shared.school_memberships_false})
)
  and membership_plan.school_id = :school_id
order by position asc, id asc
limit 21;

-- listPlans, staff
select id, name, slug, description, description_format, description_html, status, visibility, benefits, manual_renewal,
  max_members, position, badge, external_id, metadata, created_at, updated_at, version as version,
  cast('staff' as text) as seen_as, ({includes_of_membership_plan_3}) as includes,
  ({prices_of_membership_plan_2}) as prices, ({is_free_of_membership_plan}) as is_free,
  membership_plan.subscribers_count as subscribers_count
from membership_plan
where (true) and membership_plan.school_id = :school_id
order by position asc, id asc
limit 21;

-- getPlan, anonymous
-- columns and tables of listPlans, anonymous
where (
  (({shared.membership_plan_status_condition}) and NOT EXISTS ({shared.school_memberships_false})) and id = :row_id
)
  and membership_plan.school_id = :school_id
limit 1;

-- getPlan, learner, lecturer
-- columns and tables of listPlans, learner, lecturer
where (
  (
    (({shared.membership_plan_status_condition}) or exists ({shared.subscription_of_membership_plan}))
    and NOT EXISTS ({shared.school_memberships_false})
  )
  and id = :row_id
)
  and membership_plan.school_id = :school_id
limit 1;

-- getPlan, staff
-- columns and tables of listPlans, staff
where (true and id = :row_id) and membership_plan.school_id = :school_id
limit 1;
