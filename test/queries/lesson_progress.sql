-- Printed by npm run docs: the statements of lesson_progress for each role. The parts in braces are below, or in shared.sql.

-- {course_of_lesson_progress}
select
from course
where (
  course.school_id = lesson_progress.school_id
  and course.id = lesson_progress.course_id
  and exists ({shared.course_lecturer_of_course})
)
  and course.school_id = :school_id

-- listLessonProgress, learner
select id, enrollment_id, course_id, lesson_id, status, position_seconds, completed_at, created_at, updated_at,
  person_id, version as version, case
  when false then cast('staff' as text)
  when (lesson_progress.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as
from lesson_progress
where (lesson_progress.person_id = :person_id) and lesson_progress.school_id = :school_id
order by updated_at asc, id asc
limit 21;

-- listLessonProgress, lecturer
select id, enrollment_id, course_id, lesson_id, status, position_seconds, completed_at, created_at, updated_at,
  person_id, version as version, case
  when exists ({course_of_lesson_progress}) then cast('staff' as text)
  when (lesson_progress.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as
from lesson_progress
where (lesson_progress.person_id = :person_id or exists ({course_of_lesson_progress}))
  and lesson_progress.school_id = :school_id
order by updated_at asc, id asc
limit 21;

-- listLessonProgress, staff
select id, enrollment_id, course_id, lesson_id, status, position_seconds, completed_at, created_at, updated_at,
  person_id, version as version, cast('staff' as text) as seen_as
from lesson_progress
where (true) and lesson_progress.school_id = :school_id
order by updated_at asc, id asc
limit 21;
