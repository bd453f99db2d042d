-- Printed by npm run docs: the statements of members for each role. The parts in braces are below, or in shared.sql.

-- {labels_of_person}
select array_agg(person_tag.tag order by person_tag.tag) as tags
from person_tag
where (person_tag.person_id = person.id and person_tag.kind = 'member_label') and person_tag.school_id = :school_id

-- {person_is_member_condition}
person.is_member = true
and (
  person.id = :person_id
  or (
    (member_status = 'active' and directory_visible = true)
    and (
      EXISTS ({school})
      or (
        EXISTS (
          SELECT
          FROM school
          WHERE school.id = :school_id
            AND coalesce(school.settings ->> 'member_directory', 'members') = ANY ('["members"]'::text[])
        )
        and exists (
          select
          from person as caller
          where (caller.id = :person_id and caller.is_member = true and caller.member_status = 'active')
            and caller.school_id = :school_id
        )
      )
    )
  )
)

-- {person_is_member_condition_2}
person.is_member = true
and (
  person.id = :person_id
  or (
    (member_status = 'active' and directory_visible = true)
    and EXISTS (
      SELECT
      FROM school
      WHERE school.id = :school_id
        AND coalesce(school.settings ->> 'member_directory', 'members') = ANY ('["public","members"]'::text[])
    )
  )
)

-- {plans_of_person}
select coalesce(json_agg(agg), '[]')
from (
  select membership_plan.id, membership_plan.name, membership_plan.slug, case
    when subscription.status = 'canceled' then subscription.ended_at
    when subscription.cancel_at is not null then subscription.cancel_at
    when subscription.cancel_at_period_end = true then subscription.current_period_end
    end as until
  from subscription
  inner join membership_plan on (membership_plan.id = subscription.plan_id) and membership_plan.school_id = :school_id
  where (subscription.person_id = person.id and ({shared.subscription_status_condition}))
    and subscription.school_id = :school_id
  order by membership_plan.position, membership_plan.id
) as agg

-- {roles_of_person}
select staff.role
from staff
where (staff.person_id = person.id and staff.status = 'active') and staff.school_id = :school_id
limit 1

-- {school}
SELECT
FROM school
WHERE school.id = :school_id
  AND coalesce(school.settings ->> 'member_directory', 'members') = ANY ('["public"]'::text[])

-- listMembers, anonymous
select id, headline, links, joined_at, email, bio, tier, directory_visible, comments_count, rsvps_count, external_id,
  metadata, created_at, updated_at, display_name, name, member_status, member_status_reason, member_note,
  last_active_at, is_student, version as version, cast('public' as text) as seen_as,
  ({shared.avatar_of_person}) as avatar, ({plans_of_person}) as plans, ({roles_of_person}) as roles,
  ({labels_of_person}) as labels
from person
where (person.is_member = true and ((member_status = 'active' and directory_visible = true) and EXISTS ({school})))
  and person.school_id = :school_id
order by id desc
limit 21;

-- listMembers, learner
select id, headline, links, joined_at, email, bio, tier, directory_visible, comments_count, rsvps_count, external_id,
  metadata, created_at, updated_at, display_name, name, member_status, member_status_reason, member_note,
  last_active_at, is_student, version as version, case
  when false then cast('staff' as text)
  when (person.id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({shared.avatar_of_person}) as avatar, ({plans_of_person}) as plans, ({roles_of_person}) as roles,
  ({labels_of_person}) as labels
from person
where ({person_is_member_condition}) and person.school_id = :school_id
order by id desc
limit 21;

-- listMembers, lecturer
-- columns and tables of listMembers, learner
where ({person_is_member_condition_2}) and person.school_id = :school_id
order by id desc
limit 21;

-- listMembers, staff
select id, headline, links, joined_at, email, bio, tier, directory_visible, comments_count, rsvps_count, external_id,
  metadata, created_at, updated_at, display_name, name, member_status, member_status_reason, member_note,
  last_active_at, is_student, version as version, cast('staff' as text) as seen_as,
  ({shared.avatar_of_person}) as avatar, ({plans_of_person}) as plans, ({roles_of_person}) as roles,
  ({labels_of_person}) as labels
from person
where (person.is_member = true and true) and person.school_id = :school_id
order by id desc
limit 21;

-- getMember, anonymous
-- columns and tables of listMembers, anonymous
where (
  (person.is_member = true and ((member_status = 'active' and directory_visible = true) and EXISTS ({school})))
  and id = :row_id
)
  and person.school_id = :school_id
limit 1;

-- getMember, learner
-- columns and tables of listMembers, learner
where (({person_is_member_condition}) and id = :row_id) and person.school_id = :school_id
limit 1;

-- getMember, lecturer
-- columns and tables of listMembers, learner
where (({person_is_member_condition_2}) and id = :row_id) and person.school_id = :school_id
limit 1;

-- getMember, staff
-- columns and tables of listMembers, staff
where ((person.is_member = true and true) and id = :row_id) and person.school_id = :school_id
limit 1;
