-- Printed by npm run docs: the statements of staff for each role. The parts in braces are below, or in shared.sql.

-- {last_seen_at_of_staff}
select account.last_sign_in_at
from account
inner join person on (person.account_id = account.id) and person.school_id = :school_id
where (person.id = staff.person_id) and account.school_id = :school_id

-- {person_of_staff}
select to_json(obj)
from (
  select coalesce(account.name, person.name) as name, coalesce(account.email, person.email) as email,
    ({shared.avatar_of_account}) as avatar
  from person
  left join account on (account.id = person.account_id) and account.school_id = :school_id
  where (person.id = staff.person_id) and person.school_id = :school_id
) as obj

-- listStaff, lecturer
select id, role, lecturer_id, status, invited_at, accepted_at, created_at, updated_at, version as version, case
  when person_id = :person_id then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({person_of_staff}) as person, ({last_seen_at_of_staff}) as last_seen_at
from staff
where (person_id = :person_id) and staff.school_id = :school_id
order by id asc
limit 21;

-- listStaff, staff
select id, role, lecturer_id, status, invited_at, accepted_at, created_at, updated_at, version as version,
  cast('staff' as text) as seen_as, ({person_of_staff}) as person, ({last_seen_at_of_staff}) as last_seen_at
from staff
where (true) and staff.school_id = :school_id
order by id asc
limit 21;

-- getStaff, lecturer
-- columns and tables of listStaff, lecturer
where (person_id = :person_id and id = :row_id) and staff.school_id = :school_id
limit 1;

-- getStaff, staff
-- columns and tables of listStaff, staff
where (true and id = :row_id) and staff.school_id = :school_id
limit 1;
