-- Printed by npm run docs: the statements of rsvps for each role. The parts in braces are below, or in shared.sql.

-- {event_of_rsvp}
select
from event
where (event.school_id = rsvp.school_id and event.id = rsvp.event_id and exists ({shared.event_host_of_event}))
  and event.school_id = :school_id

-- {member_of_rsvp}
select to_json(obj)
from (
  select person.id, coalesce(person.display_name, person.name) as display_name, ({shared.avatar_of_person}) as avatar
  from person
  where (person.school_id = rsvp.school_id and person.id = rsvp.person_id and person.erased_at is null)
    and person.school_id = :school_id
) as obj

-- listRsvps, learner
select id, event_id, status, offered_until, note, guests, queued_at, status_changed_at, created_at, updated_at,
  version as version, case
  when false then cast('staff' as text)
  when (rsvp.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({member_of_rsvp}) as member, case
  when (rsvp.status = 'waitlisted' and rsvp.offered_until is null) then cast({shared.cast_of_rsvp})
  end as waitlist_position
from rsvp
where ((rsvp.person_id = :person_id and NOT EXISTS ({shared.school_events_false})) and event_id = :parent_id)
  and rsvp.school_id = :school_id
order by queued_at asc, id asc
limit 21;

-- listRsvps, lecturer
select id, event_id, status, offered_until, note, guests, queued_at, status_changed_at, created_at, updated_at,
  version as version, case
  when exists ({event_of_rsvp}) then cast('staff' as text)
  when (rsvp.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({member_of_rsvp}) as member, case
  when (rsvp.status = 'waitlisted' and rsvp.offered_until is null) then cast({shared.cast_of_rsvp})
  end as waitlist_position
from rsvp
where (
  ((rsvp.person_id = :person_id or exists ({event_of_rsvp})) and NOT EXISTS ({shared.school_events_false}))
  and event_id = :parent_id
)
  and rsvp.school_id = :school_id
order by queued_at asc, id asc
limit 21;

-- listRsvps, staff
select id, event_id, status, offered_until, note, guests, queued_at, status_changed_at, created_at, updated_at,
  version as version, cast('staff' as text) as seen_as, ({member_of_rsvp}) as member, case
  when (rsvp.status = 'waitlisted' and rsvp.offered_until is null) then cast({shared.cast_of_rsvp})
  end as waitlist_position
from rsvp
where (true and event_id = :parent_id) and rsvp.school_id = :school_id
order by queued_at asc, id asc
limit 21;
