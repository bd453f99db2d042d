-- Printed by npm run docs: the statements of enrollments for each role. The parts in braces are below, or in shared.sql.

-- {certificate_of_enrollment}
select to_json(obj)
from (
  select number, issued_at, holder_name, course_title, corrected_at
  from certificate
  where (certificate.enrollment_id = enrollment.id and certificate.revoked_at is null)
    and certificate.school_id = :school_id
  order by certificate.completed_at desc
  limit 1
) as obj

-- {course_of_enrollment}
select
from course
where (
  course.school_id = enrollment.school_id
  and course.id = enrollment.course_id
  and exists ({shared.course_lecturer_of_course})
)
  and course.school_id = :school_id

-- {lessons_count_of_enrollment}
select course.published_lessons_count
from course
where (course.id = enrollment.course_id) and course.school_id = :school_id

-- listEnrollments, learner
select id, course_id, status_reason, source, order_id, subscription_id, coupon_id, starts_at, expires_at,
  progress_percent, completed_lessons_count, last_lesson_id, first_opened_at, last_activity_at, completed_at,
  canceled_at, external_id, metadata, created_at, updated_at, person_id, status, version as version, case
  when false then cast('staff' as text)
  when (enrollment.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({lessons_count_of_enrollment}) as lessons_count, ({certificate_of_enrollment}) as certificate
from enrollment
where (enrollment.person_id = :person_id) and enrollment.school_id = :school_id
order by id desc
limit 21;

-- listEnrollments, lecturer
-- the first 3 lines of listEnrollments, learner
  when exists ({course_of_enrollment}) then cast('staff' as text)
  when (enrollment.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({lessons_count_of_enrollment}) as lessons_count, ({certificate_of_enrollment}) as certificate
from enrollment
where (enrollment.person_id = :person_id or exists ({course_of_enrollment})) and enrollment.school_id = :school_id
order by id desc
limit 21;

-- listEnrollments, staff
select id, course_id, status_reason, source, order_id, subscription_id, coupon_id, starts_at, expires_at,
  progress_percent, completed_lessons_count, last_lesson_id, first_opened_at, last_activity_at, completed_at,
  canceled_at, external_id, metadata, created_at, updated_at, person_id, status, version as version,
  cast('staff' as text) as seen_as, ({lessons_count_of_enrollment}) as lessons_count,
  ({certificate_of_enrollment}) as certificate
from enrollment
where (true) and enrollment.school_id = :school_id
order by id desc
limit 21;

-- getEnrollment, learner
-- columns and tables of listEnrollments, learner
where (enrollment.person_id = :person_id and id = :row_id) and enrollment.school_id = :school_id
limit 1;

-- getEnrollment, lecturer
-- columns and tables of listEnrollments, lecturer
where ((enrollment.person_id = :person_id or exists ({course_of_enrollment})) and id = :row_id)
  and enrollment.school_id = :school_id
limit 1;

-- getEnrollment, staff
-- columns and tables of listEnrollments, staff
where (true and id = :row_id) and enrollment.school_id = :school_id
limit 1;
