-- Printed by npm run docs: the parts that the statements of several resources name.

-- {shared.avatar_of_account}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(account.avatar_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = account.school_id AND file.id = account.avatar_file_id AND file.status = 'ready'

-- {shared.avatar_of_lecturer}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(lecturer.avatar_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = lecturer.school_id AND file.id = lecturer.avatar_file_id AND file.status = 'ready'

-- {shared.avatar_of_person}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(person.avatar_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = person.school_id AND file.id = person.avatar_file_id AND file.status = 'ready'

-- {shared.cast_of_lesson}
nullif(
  coalesce(
    (
      SELECT CASE
        WHEN enrollment.status = 'canceled' THEN 'not_enrolled'
        WHEN CASE
        WHEN enrollment.status IN ('active', 'completed')
        AND enrollment.expires_at <= now() THEN 'expired'
        ELSE enrollment.status
        END IN ('expired', 'suspended')
        OR EXISTS ({shared.person_of_enrollment}) THEN 'expired'
        WHEN enrollment.source = 'plan'
        AND NOT exists ({shared.subscription_of_enrollment}) THEN 'expired'
        WHEN greatest({shared.greatest_of_enrollment_and_lesson}) > now() THEN 'drip'
        ELSE 'open'
        END
      FROM enrollment
      WHERE enrollment.school_id = lesson.school_id
        AND enrollment.course_id = lesson.course_id
        AND enrollment.person_id = :person_id
    ),
    'not_enrolled'
  ),
  'open'
) as text

-- {shared.cast_of_rsvp}
(
  select count(*) as place
  from rsvp as ahead
  where (
    ahead.event_id = rsvp.event_id
    and ahead.status = 'waitlisted'
    and ahead.offered_until is null
    and (ahead.queued_at, ahead.id) <= (rsvp.queued_at, rsvp.id)
  )
    and ahead.school_id = :school_id
) as int4

-- {shared.course_lecturer_of_course}
select
from course_lecturer
inner join lecturer on (lecturer.id = course_lecturer.lecturer_id) and lecturer.school_id = :school_id
where (course_lecturer.course_id = course.id and lecturer.id = :lecturer_id) and course_lecturer.school_id = :school_id

-- {shared.course_of_lesson}
select
from course
where (
  course.school_id = lesson.school_id and course.id = lesson.course_id and exists ({shared.course_lecturer_of_course})
)
  and course.school_id = :school_id

-- {shared.course_status_condition}
course.status IN ('published', 'archived')
AND EXISTS (
  SELECT 1
  FROM enrollment
  WHERE enrollment.school_id = course.school_id
    AND enrollment.course_id = course.id
    AND enrollment.person_id = :person_id
    AND enrollment.status <> 'canceled'
)

-- {shared.event_access_condition}
exists ({shared.person_of_event})
and (
  (
    event.access = 'members'
    and exists (
      select
      from person
      where (
        person.school_id = event.school_id
        and person.id = :person_id
        and person.member_status not in ('blocked', 'erased')
        and person.erased_at is null
        and person.is_member = true
      )
        and person.school_id = :school_id
    )
  )
  or (
    event.access = 'plans'
    and exists (
      select
      from subscription
      inner join membership_plan on (membership_plan.id = subscription.plan_id)
        and membership_plan.school_id = :school_id
      where (
        subscription.person_id = :person_id
        and ({shared.subscription_status_condition})
        and exists (
          select
          from event_plan
          where (
            event_plan.school_id = membership_plan.school_id
            and event_plan.plan_id = membership_plan.id
            and event_plan.event_id = event.id
          )
            and event_plan.school_id = :school_id
        )
      )
        and subscription.school_id = :school_id
    )
  )
  or (
    event.access = 'course'
    and (
      exists (
        select
        from enrollment
        where (
          enrollment.school_id = event.school_id
          and enrollment.course_id = event.course_id
          and event.course_id is not null
          and enrollment.person_id = :person_id
          and enrollment.status in ('active', 'completed')
          and enrollment.starts_at <= now()
          and (enrollment.expires_at is null or enrollment.expires_at > now())
        )
          and enrollment.school_id = :school_id
      )
      or exists (
        select
        from subscription
        inner join membership_plan on (membership_plan.id = subscription.plan_id)
          and membership_plan.school_id = :school_id
        where (
          subscription.person_id = :person_id
          and ({shared.subscription_status_condition})
          and (
            membership_plan.includes_all_courses = true
            or exists (
              select
              from plan_item
              where (
                plan_item.plan_id = membership_plan.id
                and plan_item.product_type = 'course'
                and plan_item.product_id = event.course_id
              )
                and plan_item.school_id = :school_id
            )
          )
        )
          and subscription.school_id = :school_id
      )
      or exists (
        select
        from course_lecturer
        where (
          course_lecturer.school_id = event.school_id
          and course_lecturer.course_id = event.course_id
          and course_lecturer.lecturer_id = :lecturer_id
        )
          and course_lecturer.school_id = :school_id
      )
    )
  )
  or exists (
    select
    from subscription
    inner join membership_plan on (membership_plan.id = subscription.plan_id) and membership_plan.school_id = :school_id
    where (
      subscription.person_id = :person_id
      and ({shared.subscription_status_condition})
      and (membership_plan.includes_all_events = true and event.access != 'public')
    )
      and subscription.school_id = :school_id
  )
)

-- {shared.event_condition}
exists (
  select rsvp.id
  from rsvp
  where (
    rsvp.school_id = event.school_id
    and rsvp.event_id = event.id
    and rsvp.person_id = :person_id
    and rsvp.status in ('going', 'attended', 'no_show')
  )
    and rsvp.school_id = :school_id
)
and exists ({shared.person_of_event})

-- {shared.event_host_of_event}
select
from event_host
where (
  event_host.school_id = event.school_id and event_host.event_id = event.id and event_host.lecturer_id in (:lecturer_id)
)
  and event_host.school_id = :school_id

-- {shared.greatest_of_enrollment_and_lesson}
enrollment.starts_at, CASE lesson.drip ->> 'mode'
WHEN 'days_after_enrollment' THEN enrollment.starts_at + make_interval(days => (lesson.drip ->> 'days')::int)
WHEN 'date' THEN (lesson.drip ->> 'at')::timestamptz
END

-- {shared.lesson_is_preview_condition}
lesson.is_preview = true
and lesson.status = 'published'
and exists (
  select
  from course
  where (course.school_id = lesson.school_id and course.id = lesson.course_id and course.status = 'published')
    and course.school_id = :school_id
)

-- {shared.membership_plan_status_condition}
(membership_plan.status = 'active' and membership_plan.visibility = 'public')
and exists (
  select
  from plan_price
  where (plan_price.plan_id = membership_plan.id and plan_price.active = true) and plan_price.school_id = :school_id
)

-- {shared.person_of_enrollment}
SELECT 1
FROM person
WHERE person.school_id = enrollment.school_id
  AND person.id = enrollment.person_id
  AND person.student_status IN ('suspended', 'erased')

-- {shared.person_of_event}
select
from person
where (
  person.school_id = event.school_id
  and person.id = :person_id
  and person.member_status not in ('blocked', 'erased')
  and person.erased_at is null
  and true
)
  and person.school_id = :school_id

-- {shared.post_status_condition}
post.status = 'published' or (post.status = 'scheduled' and post.scheduled_for <= now())

-- {shared.post_status_condition_2}
({shared.post_status_condition}) and post.visibility = 'public'

-- {shared.post_status_condition_3}
({shared.post_status_condition})
and not exists (
  select
  from person as blocked
  where (blocked.id = :person_id and blocked.member_status in ('blocked', 'erased')) and blocked.school_id = :school_id
)
and (
  (
    post.visibility = 'members'
    and exists (
      select
      from person as member
      where (member.id = :person_id and member.is_member = true and member.member_status = 'active')
        and member.school_id = :school_id
    )
  )
  or (
    post.visibility = 'paid'
    and exists (
      select
      from subscription
      inner join membership_plan on (membership_plan.id = subscription.plan_id)
        and membership_plan.school_id = :school_id
      where (
        subscription.person_id = :person_id
        and ({shared.subscription_status_condition})
        and exists (
          select
          from plan_price
          where (plan_price.plan_id = membership_plan.id and plan_price.amount > '0')
            and plan_price.school_id = :school_id
        )
      )
        and subscription.school_id = :school_id
    )
  )
  or (
    post.visibility = 'plans'
    and exists (
      select
      from subscription
      inner join membership_plan on (membership_plan.id = subscription.plan_id)
        and membership_plan.school_id = :school_id
      where (
        subscription.person_id = :person_id
        and ({shared.subscription_status_condition})
        and exists (
          select
          from post_plan
          where (post_plan.plan_id = membership_plan.id and post_plan.post_id = post.id)
            and post_plan.school_id = :school_id
        )
      )
        and subscription.school_id = :school_id
    )
  )
)

-- {shared.school_blog_false}
SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"blog":false}'::jsonb

-- {shared.school_courses_false}
SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"courses":false}'::jsonb

-- {shared.school_events_false}
SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"events":false}'::jsonb

-- {shared.school_memberships_false}
SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"memberships":false}'::jsonb

-- {shared.school_show_counts_false}
SELECT 1 FROM school WHERE school.id = :school_id AND school.settings @> '{"show_counts":false}'::jsonb

-- {shared.status_condition}
status = 'published' and visibility in ('public', 'members')

-- {shared.subscription_condition}
now() - make_interval(
  days => coalesce(
    (SELECT (school.settings ->> 'past_due_grace_days')::int FROM school WHERE school.id = subscription.school_id), 7
  )
)

-- {shared.subscription_of_enrollment}
select
from subscription
inner join membership_plan on (
  membership_plan.school_id = subscription.school_id and membership_plan.id = subscription.plan_id
)
  and membership_plan.school_id = :school_id
where (
  subscription.school_id = enrollment.school_id
  and subscription.person_id = enrollment.person_id
  and ({shared.subscription_status_condition})
  and (
    membership_plan.includes_all_courses = true
    or exists (
      select
      from plan_item
      where (
        plan_item.school_id = membership_plan.school_id
        and plan_item.plan_id = membership_plan.id
        and plan_item.product_type = 'course'
        and plan_item.product_id = enrollment.course_id
      )
        and plan_item.school_id = :school_id
    )
  )
)
  and subscription.school_id = :school_id

-- {shared.subscription_of_membership_plan}
select
from subscription
where (
  subscription.plan_id = membership_plan.id
  and subscription.person_id = :person_id
  and (subscription.status not in ('canceled', 'expired') or ({shared.subscription_status_condition}))
)
  and subscription.school_id = :school_id

-- {shared.subscription_status_condition}
(
  (
    subscription.status IN ('trialing', 'active')
    OR (subscription.status = 'paused' AND coalesce(subscription.resumes_at <= now(), false))
  )
  AND NOT (subscription.cancel_at_period_end AND coalesce(subscription.current_period_end <= now(), false))
  AND NOT (
    subscription.amount > 0
    AND coalesce(subscription.current_period_end <= ({shared.subscription_condition}), false)
    AND (
      subscription.collection = 'automatic'
      OR (
        subscription.collection = 'manual'
        AND EXISTS (
          SELECT 1
          FROM membership_plan its_plan
          WHERE its_plan.school_id = subscription.school_id
            AND its_plan.id = subscription.plan_id
            AND its_plan.manual_renewal = 'confirm'
        )
      )
    )
  )
)
OR (
  subscription.status = 'past_due' AND coalesce(subscription.past_due_since > ({shared.subscription_condition}), false)
)
