-- Printed by npm run docs: the statements of analytics for each role. The parts in braces are below, or in shared.sql.

-- {course_lecturer}
select course_lecturer.course_id
from course_lecturer
where (course_lecturer.lecturer_id = :lecturer_id) and course_lecturer.school_id = :school_id

-- {found}
select course_id, sum(enrolled) as value
from analytics_daily_course
where (analytics_daily_course.day between :time::date and :time::date) and analytics_daily_course.school_id = :school_id
group by course_id

-- analyticsOverview, staff
select school.time_zone as zone_now, school.currency, analytics_state.time_zone, analytics_state.activity_through,
  cast(analytics_state.days_through as text) as days_through,
  cast(analytics_state.closed_through as text) as closed_through, analytics_state.as_of,
  analytics_state.lecturers_digest
from school
left join analytics_state on (analytics_state.school_id = school.id) and analytics_state.school_id = :school_id
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_school.day as text) as day, orders, new_students, new_members,
  gross - discounts - refunds as net
from analytics_daily_school
where (analytics_daily_school.day between :time::date and :time::date) and analytics_daily_school.school_id = :school_id;

select cast(analytics_daily_course.day as text) as day, sum(enrolled) as enrolled, sum(completed) as completed
from analytics_daily_course
where (analytics_daily_course.day between :time::date and :time::date) and analytics_daily_course.school_id = :school_id
group by day;

select cast(analytics_daily_active.day as text) as day, daily_active, weekly_active, monthly_active
from analytics_daily_active
where (
  subject_type = 'school' and subject_id = :school_id and analytics_daily_active.day between :time::date and :time::date
)
  and analytics_daily_active.school_id = :school_id;

select cast(analytics_daily_plan.day as text) as day, sum(started) as started, sum(reactivated) as reactivated,
  sum(canceled) as canceled, sum(ended) as ended, sum(trials_ended) as trials_ended,
  sum(trials_converted) as trials_converted, sum(active_change) as active_change,
  sum(trialing_change) as trialing_change, sum(mrr_change) as mrr_change
from analytics_daily_plan
where (analytics_daily_plan.day between :time::date and :time::date) and analytics_daily_plan.school_id = :school_id
group by day;

select sum(active_change) as active_change, sum(trialing_change) as trialing_change, sum(mrr_change) as mrr_change
from analytics_daily_plan
where (day < :time::date) and analytics_daily_plan.school_id = :school_id;

-- analyticsRevenue, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_school.day as text) as day, gross, discounts, refunds, tax, orders
from analytics_daily_school
where (analytics_daily_school.day between :time::date and :time::date) and analytics_daily_school.school_id = :school_id;

-- analyticsOrders, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_order.day as text) as day, sum(placed) as placed, sum(paid) as paid, sum(failed) as failed,
  sum(expired) as expired, sum(refunded) as refunded
from analytics_daily_order
where (
  product_type = 'any'
  and product_id = '00000000-0000-0000-0000-000000000000'
  and analytics_daily_order.day between :time::date and :time::date
)
  and analytics_daily_order.school_id = :school_id
group by day;

-- analyticsTax, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select country, rate_bps, sum(gross) as gross, sum(tax) as tax, sum(refunds) as refunds,
  sum(refunded_tax) as refunded_tax
from analytics_daily_tax
where (analytics_daily_tax.day between :time::date and :time::date) and analytics_daily_tax.school_id = :school_id
group by country, rate_bps
order by country, rate_bps;

-- analyticsEnrollments, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_course.day as text) as day, sum(enrolled) as enrolled, sum(canceled) as canceled,
  sum(expired) as expired, sum(enrolled - canceled - expired) as open
from analytics_daily_course
where (
  analytics_daily_course.course_id in ({course_lecturer})
  and analytics_daily_course.day between :time::date and :time::date
)
  and analytics_daily_course.school_id = :school_id
group by analytics_daily_course.day;

select sum(enrolled - canceled - expired) as open
from analytics_daily_course
where (analytics_daily_course.course_id in ({course_lecturer}) and analytics_daily_course.day < :time::date)
  and analytics_daily_course.school_id = :school_id;

-- analyticsEnrollments, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

-- columns and tables of analyticsEnrollments, lecturer
where (true and analytics_daily_course.day between :time::date and :time::date)
  and analytics_daily_course.school_id = :school_id
group by analytics_daily_course.day;

select sum(enrolled - canceled - expired) as open
from analytics_daily_course
where (true and analytics_daily_course.day < :time::date) and analytics_daily_course.school_id = :school_id;

-- analyticsCompletion, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_course.day as text) as day, sum(started) as started, sum(completed) as completed,
  sum(started_completed) as started_completed, sum(started_progress) as started_progress
from analytics_daily_course
where (
  analytics_daily_course.day between :time::date and :time::date
  and analytics_daily_course.course_id in ({course_lecturer})
)
  and analytics_daily_course.school_id = :school_id
group by analytics_daily_course.day;

select days, cast(sum(completions) as integer) as completions, cast(analytics_daily_pace.day as text) as day
from analytics_daily_pace
where (
  analytics_daily_pace.day between :time::date and :time::date and analytics_daily_pace.course_id in ({course_lecturer})
)
  and analytics_daily_pace.school_id = :school_id
group by analytics_daily_pace.day, days;

-- analyticsCompletion, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

-- columns and tables of analyticsCompletion, lecturer
where (analytics_daily_course.day between :time::date and :time::date and true)
  and analytics_daily_course.school_id = :school_id
group by analytics_daily_course.day;

select days, cast(sum(completions) as integer) as completions, cast(analytics_daily_pace.day as text) as day
from analytics_daily_pace
where (analytics_daily_pace.day between :time::date and :time::date and true)
  and analytics_daily_pace.school_id = :school_id
group by analytics_daily_pace.day, days;

-- analyticsActiveStudents, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_active.day as text) as day, daily_active, weekly_active, monthly_active
from analytics_daily_active
where (
  subject_type = 'lecturer'
  and subject_id = :lecturer_id
  and analytics_daily_active.day between :time::date and :time::date
)
  and analytics_daily_active.school_id = :school_id;

-- analyticsActiveStudents, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_active.day as text) as day, daily_active, weekly_active, monthly_active
from analytics_daily_active
where (
  subject_type = 'school' and subject_id = :school_id and analytics_daily_active.day between :time::date and :time::date
)
  and analytics_daily_active.school_id = :school_id;

-- analyticsTopCourses, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select found.course_id, course.title, found.value
from ({found}) as found
inner join course on (course.id = found.course_id) and course.school_id = :school_id
where (found.value <> 0 and course.id in ({course_lecturer}))
order by found.value desc, found.course_id;

-- analyticsTopCourses, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

-- columns and tables of analyticsTopCourses, lecturer
where (found.value <> 0 and true)
order by found.value desc, found.course_id;

-- analyticsFunnel, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select id, title
from course
where (id = :account_id and course.id in ({course_lecturer})) and course.school_id = :school_id;

-- analyticsFunnel, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select id, title
from course
where (id = :account_id and true) and course.school_id = :school_id;

-- analyticsSubscriptions, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

-- columns and tables of analyticsOverview, staff
where (analytics_daily_plan.day between :time::date and :time::date) and analytics_daily_plan.school_id = :school_id
group by day;

select sum(active_change) as active_change, sum(trialing_change) as trialing_change, sum(mrr_change) as mrr_change
from analytics_daily_plan
where (day < :time::date) and analytics_daily_plan.school_id = :school_id;

-- analyticsCoupons, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select sum(redemptions) as redemptions, sum(discount) as discount, sum(revenue) as revenue,
  cast(analytics_daily_coupon.day as text) as day
from analytics_daily_coupon
where (analytics_daily_coupon.day between :time::date and :time::date) and analytics_daily_coupon.school_id = :school_id
group by day;

select sum(redemptions) as redemptions, sum(discount) as discount, sum(revenue) as revenue, coupon_id,
  (
    select coupon.code
    from coupon
    where (coupon.id = analytics_daily_coupon.coupon_id) and coupon.school_id = :school_id
  ) as code
from analytics_daily_coupon
where (analytics_daily_coupon.day between :time::date and :time::date) and analytics_daily_coupon.school_id = :school_id
group by school_id, coupon_id
order by sum(redemptions) desc, sum(revenue) desc, coupon_id
limit 100;

select sum(redemptions) as redemptions, sum(discount) as discount, sum(revenue) as revenue,
  cast(analytics_daily_coupon.day as text) as day, coupon_id
from analytics_daily_coupon
where (analytics_daily_coupon.day between :time::date and :time::date and coupon_id = ANY('[]'::uuid[]))
  and analytics_daily_coupon.school_id = :school_id
group by day, coupon_id;

-- analyticsEvents, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select cast(analytics_daily_event.day as text) as day, sum(published) as published, sum(rsvps) as rsvps,
  sum(attended) as attended, sum(no_show) as no_show
from analytics_daily_event
where (
  analytics_daily_event.day between :time::date and :time::date
  and event_id in (
    select event_host.event_id
    from event_host
    where (event_host.lecturer_id is not distinct from :lecturer_id) and event_host.school_id = :school_id
    union all
    select event.id as event_id
    from event
    inner join course_lecturer on (course_lecturer.course_id = event.course_id)
      and course_lecturer.school_id = :school_id
    where (course_lecturer.lecturer_id is not distinct from :lecturer_id) and event.school_id = :school_id
  )
)
  and analytics_daily_event.school_id = :school_id
group by day;

-- analyticsEvents, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

-- columns and tables of analyticsEvents, lecturer
where (analytics_daily_event.day between :time::date and :time::date) and analytics_daily_event.school_id = :school_id
group by day;

-- analyticsRetention, lecturer
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select learners, cast(cohort as text) as cohort_day, cast(month as text) as month_day
from analytics_retention
where (
  subject_type = 'lecturer'
  and subject_id = :lecturer_id
  and cohort between :time::date and :time::date
  and month <= :time::date
)
  and analytics_retention.school_id = :school_id;

-- analyticsRetention, staff
-- columns and tables of analyticsOverview, staff
where (school.id = :school_id) and school.id = :school_id;

select learners, cast(cohort as text) as cohort_day, cast(month as text) as month_day
from analytics_retention
where (
  subject_type = 'school'
  and subject_id = :school_id
  and cohort between :time::date and :time::date
  and month <= :time::date
)
  and analytics_retention.school_id = :school_id;
