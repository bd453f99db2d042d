-- Printed by npm run docs: the statements of sections for each role. The parts in braces are below, or in shared.sql.

-- {course_of_section}
select
from course
where (
  course.school_id = section.school_id and course.id = section.course_id and exists ({shared.course_lecturer_of_course})
)
  and course.school_id = :school_id

-- {lessons_count_of_section}
select cast(count(*) as integer) as count
from lesson
where (lesson.section_id = section.id and (lesson.status = 'published' or exists ({shared.course_of_lesson})))
  and lesson.school_id = :school_id

-- {section_condition}
true
and exists (
  select
  from course
  where (
    course.school_id = section.school_id
    and course.id = section.course_id
    and (status = 'published' and visibility = 'unlisted')
  )
    and course.school_id = :school_id
)

-- {section_condition_2}
true
and exists (
  select
  from course
  where (
    course.school_id = section.school_id
    and course.id = section.course_id
    and (({shared.status_condition}) or ({shared.course_status_condition}))
  )
    and course.school_id = :school_id
)

-- getSection, anonymous
select id, course_id, title, summary, position, external_id, metadata, created_at, updated_at, version as version,
  cast('public' as text) as seen_as,
  (
    select cast(count(*) as integer) as count
    from lesson
    where (lesson.section_id = section.id and lesson.status = 'published') and lesson.school_id = :school_id
  ) as lessons_count
from section
where (
  (
    (
      (
        true
        and exists (
          select
          from course
          where (
            course.school_id = section.school_id
            and course.id = section.course_id
            and (status = 'published' and visibility = 'public')
          )
            and course.school_id = :school_id
        )
      )
      and NOT EXISTS ({shared.school_courses_false})
    )
    or (({section_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and section.school_id = :school_id
limit 1;

-- getSection, learner
select id, course_id, title, summary, position, external_id, metadata, created_at, updated_at, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({lessons_count_of_section}) as lessons_count
from section
where (
  (
    (({section_condition_2}) and NOT EXISTS ({shared.school_courses_false}))
    or (({section_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and section.school_id = :school_id
limit 1;

-- getSection, lecturer
select id, course_id, title, summary, position, external_id, metadata, created_at, updated_at, version as version, case
  when exists ({course_of_section}) then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({lessons_count_of_section}) as lessons_count
from section
where (
  (
    ((({section_condition_2}) or exists ({course_of_section})) and NOT EXISTS ({shared.school_courses_false}))
    or (({section_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and section.school_id = :school_id
limit 1;

-- getSection, staff
select id, course_id, title, summary, position, external_id, metadata, created_at, updated_at, version as version,
  cast('staff' as text) as seen_as,
  (
    select cast(count(*) as integer) as count
    from lesson
    where (lesson.section_id = section.id and true) and lesson.school_id = :school_id
  ) as lessons_count
from section
where ((true or ({section_condition})) and id = :row_id) and section.school_id = :school_id
limit 1;
