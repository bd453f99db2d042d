-- Printed by npm run docs: the statements of events for each role. The parts in braces are below, or in shared.sql.

-- {cover_image_of_event}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(event.cover_image_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = event.school_id AND file.id = event.cover_image_file_id AND file.status = 'ready'

-- {event_access_condition}
(
  ({shared.event_access_condition})
  or exists (
    select rsvp.id
    from rsvp
    where (rsvp.school_id = event.school_id and rsvp.event_id = event.id and rsvp.person_id = :person_id)
      and rsvp.school_id = :school_id
  )
)
or false

-- {event_access_condition_2}
event.access = 'public'
or exists ({shared.event_host_of_event})
or ({shared.event_access_condition})
or ({shared.event_condition})

-- {event_access_condition_3}
exists ({shared.event_host_of_event}) or ({shared.event_access_condition}) or ({shared.event_condition})

-- {event_capacity_condition}
exists ({shared.event_host_of_event})
or ({shared.event_condition})
or (event.capacity is null and ({shared.event_access_condition}))

-- {host_lecturers_of_event}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from event_host
  inner join lecturer on (lecturer.id = event_host.lecturer_id) and lecturer.school_id = :school_id
  where (event_host.event_id = event.id and lecturer.status = 'active') and event_host.school_id = :school_id
  order by event_host.position, lecturer.id
) as agg

-- {host_lecturers_of_event_2}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from event_host
  inner join lecturer on (lecturer.id = event_host.lecturer_id) and lecturer.school_id = :school_id
  where (event_host.event_id = event.id and (lecturer.status = 'active' or lecturer.id = :lecturer_id))
    and event_host.school_id = :school_id
  order by event_host.position, lecturer.id
) as agg

-- {host_lecturers_of_event_3}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from event_host
  inner join lecturer on (lecturer.id = event_host.lecturer_id) and lecturer.school_id = :school_id
  where (event_host.event_id = event.id and true) and event_host.school_id = :school_id
  order by event_host.position, lecturer.id
) as agg

-- {move_notice_of_event}
select to_json(obj)
from (
  select cast(count(*) as int4) as notified, event.move_notice_at as due_at
  from rsvp
  inner join person on (person.id = rsvp.person_id) and person.school_id = :school_id
  where (rsvp.event_id = event.id and rsvp.status in ('going', 'waitlisted') and person.erased_at is null)
    and rsvp.school_id = :school_id
  having event.move_notice_at is not null
) as obj

-- {my_rsvp_of_event}
select to_json(obj)
from (
  select rsvp.id, rsvp.status, case
    when (rsvp.status = 'waitlisted' and rsvp.offered_until is null) then cast({shared.cast_of_rsvp})
    end as waitlist_position, rsvp.offered_until
  from rsvp
  where (rsvp.event_id = event.id and rsvp.person_id = :person_id) and rsvp.school_id = :school_id
) as obj

-- {plan_ids_of_event}
select array_agg(plans.plan_id) as plan_ids
from (
  select event_plan.plan_id
  from event_plan
  where (event_plan.event_id = event.id) and event_plan.school_id = :school_id
  order by event_plan.plan_id
) as plans

-- listEvents, anonymous
select id, title, slug, description, description_format, description_html, kind, status, starts_at, ends_at, time_zone,
  access, course_id, capacity, waitlist_enabled, waitlist_mode, waitlist_offer_hours, reminder_hours, rsvp_opens_at,
  rsvp_closes_at, going_count, waitlisted_count, comments_count, published_at, canceled_at, cancel_reason, external_id,
  metadata, created_at, updated_at, price_amount, price_currency, version as version, cast('public' as text) as seen_as,
  event.access = 'public' as is_ungated, ({cover_image_of_event}) as cover_image, case
  when event.access = 'public' then event.location
  end as location, case
  when false then event.join_url
  end as join_url, case
  when false then event.recording_url
  end as recording_url, ({plan_ids_of_event}) as plan_ids, ({host_lecturers_of_event}) as host_lecturers
from event
where (event.status in ('published', 'canceled') and NOT EXISTS ({shared.school_events_false}))
  and event.school_id = :school_id
order by starts_at asc, id asc
limit 21;

-- listEvents, learner
-- the first 3 lines of listEvents, anonymous
  metadata, created_at, updated_at, price_amount, price_currency, version as version, case
  when false then cast('staff' as text)
  when ({event_access_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, event.access = 'public' as is_ungated, ({cover_image_of_event}) as cover_image, case
  when ({event_access_condition_2}) then event.location
  end as location, case
  when ({event_capacity_condition}) then event.join_url
  end as join_url, case
  when ({event_access_condition_3}) then event.recording_url
  end as recording_url, ({plan_ids_of_event}) as plan_ids, ({host_lecturers_of_event_2}) as host_lecturers,
  ({my_rsvp_of_event}) as my_rsvp
from event
where (event.status in ('published', 'canceled') and NOT EXISTS ({shared.school_events_false}))
  and event.school_id = :school_id
order by starts_at asc, id asc
limit 21;

-- listEvents, lecturer
-- the first 4 lines of listEvents, learner
  when exists ({shared.event_host_of_event}) then cast('staff' as text)
  when ({event_access_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, event.access = 'public' as is_ungated, ({cover_image_of_event}) as cover_image, case
  when ({event_access_condition_2}) then event.location
  end as location, case
  when ({event_capacity_condition}) then event.join_url
  end as join_url, case
  when ({event_access_condition_3}) then event.recording_url
  end as recording_url, ({plan_ids_of_event}) as plan_ids, ({host_lecturers_of_event_2}) as host_lecturers,
  ({my_rsvp_of_event}) as my_rsvp, ({move_notice_of_event}) as move_notice
from event
where (
  (event.status in ('published', 'canceled') or exists ({shared.event_host_of_event}))
  and NOT EXISTS ({shared.school_events_false})
)
  and event.school_id = :school_id
order by starts_at asc, id asc
limit 21;

-- listEvents, staff
-- the first 3 lines of listEvents, anonymous
  metadata, created_at, updated_at, price_amount, price_currency, version as version, cast('staff' as text) as seen_as,
  event.access = 'public' as is_ungated, ({cover_image_of_event}) as cover_image, event.location as location,
  event.join_url as join_url, event.recording_url as recording_url, ({plan_ids_of_event}) as plan_ids,
  ({host_lecturers_of_event_3}) as host_lecturers, ({my_rsvp_of_event}) as my_rsvp,
  ({move_notice_of_event}) as move_notice
from event
where (true) and event.school_id = :school_id
order by starts_at asc, id asc
limit 21;

-- getEvent, anonymous
-- columns and tables of listEvents, anonymous
where ((event.status in ('published', 'canceled') and NOT EXISTS ({shared.school_events_false})) and id = :row_id)
  and event.school_id = :school_id
limit 1;

-- getEvent, learner
-- columns and tables of listEvents, learner
where ((event.status in ('published', 'canceled') and NOT EXISTS ({shared.school_events_false})) and id = :row_id)
  and event.school_id = :school_id
limit 1;

-- getEvent, lecturer
-- columns and tables of listEvents, lecturer
where (
  (
    (event.status in ('published', 'canceled') or exists ({shared.event_host_of_event}))
    and NOT EXISTS ({shared.school_events_false})
  )
  and id = :row_id
)
  and event.school_id = :school_id
limit 1;

-- getEvent, staff
-- columns and tables of listEvents, staff
where (true and id = :row_id) and event.school_id = :school_id
limit 1;
