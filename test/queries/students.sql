-- Printed by npm run docs: the statements of students for each role. The parts in braces are below, or in shared.sql.

-- {lifetime_spend_of_person}
'amount', person.lifetime_spend, 'currency',
(select school.currency from school where (school.id = :school_id) and school.id = :school_id)

-- {person_is_student_condition}
person.is_student = true
and (
  person.id = :person_id
  or exists (
    select
    from enrollment
    inner join course_lecturer on (course_lecturer.course_id = enrollment.course_id)
      and course_lecturer.school_id = :school_id
    where (
      enrollment.person_id = person.id
      and enrollment.status != 'canceled'
      and course_lecturer.lecturer_id = :lecturer_id
    )
      and enrollment.school_id = :school_id
  )
)

-- {tags_of_person}
select array_agg(person_tag.tag order by person_tag.tag) as tags
from person_tag
where (person_tag.person_id = person.id and person_tag.kind = 'student_tag') and person_tag.school_id = :school_id

-- listStudents, learner
select id, email, name, given_name, family_name, locale, time_zone, country, phone, note, custom_fields,
  enrollments_count, active_enrollments_count, completed_courses_count, last_active_at, external_id, metadata,
  created_at, updated_at, student_status, student_status_reason, marketing_consent, is_member, account_id,
  version as version, case
  when false then cast('staff' as text)
  when (person.id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({shared.avatar_of_person}) as avatar, ({tags_of_person}) as tags,
  json_build_object({lifetime_spend_of_person}) as lifetime_spend
from person
where (person.is_student = true and person.id = :person_id) and person.school_id = :school_id
order by id desc
limit 21;

-- listStudents, lecturer
-- columns and tables of listStudents, learner
where ({person_is_student_condition}) and person.school_id = :school_id
order by id desc
limit 21;

-- listStudents, staff
-- the first 3 lines of listStudents, learner
  version as version, cast('staff' as text) as seen_as, ({shared.avatar_of_person}) as avatar,
  ({tags_of_person}) as tags, json_build_object({lifetime_spend_of_person}) as lifetime_spend
from person
where (person.is_student = true and true) and person.school_id = :school_id
order by id desc
limit 21;

-- getStudent, learner
-- columns and tables of listStudents, learner
where ((person.is_student = true and person.id = :person_id) and id = :row_id) and person.school_id = :school_id
limit 1;

-- getStudent, lecturer
-- columns and tables of listStudents, learner
where (({person_is_student_condition}) and id = :row_id) and person.school_id = :school_id
limit 1;

-- getStudent, staff
-- columns and tables of listStudents, staff
where ((person.is_student = true and true) and id = :row_id) and person.school_id = :school_id
limit 1;
