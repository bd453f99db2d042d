-- Printed by npm run docs: the statements of courses for each role. The parts in braces are below, or in shared.sql.

-- {course_condition}
exists ({shared.course_lecturer_of_course}) or NOT EXISTS ({shared.school_show_counts_false})

-- {cover_image_of_course}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(course.cover_image_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = course.school_id AND file.id = course.cover_image_file_id AND file.status = 'ready'

-- {included_in_plans_of_course}
select coalesce(json_agg(agg), '[]')
from (
  select membership_plan.id, membership_plan.name, membership_plan.slug
  from membership_plan
  where (
    (({shared.membership_plan_status_condition}) and ({membership_plan_includes_all_courses_condition}))
    and NOT EXISTS ({shared.school_memberships_false})
  )
    and membership_plan.school_id = :school_id
  order by membership_plan.position, membership_plan.id
  limit 50
) as agg

-- {included_in_plans_of_course_2}
select coalesce(json_agg(agg), '[]')
from (
  select membership_plan.id, membership_plan.name, membership_plan.slug
  from membership_plan
  where (
    (
      (({shared.membership_plan_status_condition}) or exists ({shared.subscription_of_membership_plan}))
      and ({membership_plan_includes_all_courses_condition})
    )
    and NOT EXISTS ({shared.school_memberships_false})
  )
    and membership_plan.school_id = :school_id
  order by membership_plan.position, membership_plan.id
  limit 50
) as agg

-- {included_in_plans_of_course_3}
select coalesce(json_agg(agg), '[]')
from (
  select membership_plan.id, membership_plan.name, membership_plan.slug
  from membership_plan
  where (true and ({membership_plan_includes_all_courses_condition})) and membership_plan.school_id = :school_id
  order by membership_plan.position, membership_plan.id
  limit 50
) as agg

-- {lecturers_of_course}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from course_lecturer
  inner join lecturer on (lecturer.id = course_lecturer.lecturer_id) and lecturer.school_id = :school_id
  where (course_lecturer.course_id = course.id and lecturer.status = 'active')
    and course_lecturer.school_id = :school_id
  order by course_lecturer.position, lecturer.id
) as agg

-- {lecturers_of_course_2}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from course_lecturer
  inner join lecturer on (lecturer.id = course_lecturer.lecturer_id) and lecturer.school_id = :school_id
  where (course_lecturer.course_id = course.id and (lecturer.status = 'active' or lecturer.id = :lecturer_id))
    and course_lecturer.school_id = :school_id
  order by course_lecturer.position, lecturer.id
) as agg

-- {lecturers_of_course_3}
select coalesce(json_agg(agg), '[]')
from (
  select lecturer.id, lecturer.display_name, lecturer.slug
  from course_lecturer
  inner join lecturer on (lecturer.id = course_lecturer.lecturer_id) and lecturer.school_id = :school_id
  where (course_lecturer.course_id = course.id and true) and course_lecturer.school_id = :school_id
  order by course_lecturer.position, lecturer.id
) as agg

-- {membership_plan_includes_all_courses_condition}
membership_plan.includes_all_courses = true
or exists (
  select
  from plan_item
  where (
    plan_item.plan_id = membership_plan.id and plan_item.product_type = 'course' and plan_item.product_id = course.id
  )
    and plan_item.school_id = :school_id
)

-- {my_enrollment_of_course}
SELECT jsonb_build_object(
  'id', enrollment.id, 'status', CASE
  WHEN enrollment.status IN ('active', 'completed')
  AND enrollment.expires_at <= now() THEN 'expired'
  ELSE enrollment.status
  END, 'progress_percent', enrollment.progress_percent, 'expires_at', enrollment.expires_at
)
FROM enrollment
WHERE enrollment.school_id = course.school_id AND enrollment.course_id = course.id AND enrollment.person_id = :person_id

-- listCourses, anonymous
select id, title, slug, subtitle, description, description_format, description_html, status, visibility, level,
  language, category, tags, access, trailer_url, enrollment_open, enrollment_starts_at, enrollment_ends_at, capacity,
  access_duration_days, completion_threshold_percent, certificate_enabled, certificate_template, seo, sections_count,
  position, published_at, archived_at, external_id, metadata, created_at, updated_at, price_amount, price_currency,
  compare_at_amount, compare_at_currency, lessons_count, published_lessons_count, previews_count,
  published_previews_count, duration_minutes, published_duration_minutes, version as version,
  cast('public' as text) as seen_as, ({cover_image_of_course}) as cover_image, ({lecturers_of_course}) as lecturers,
  ({included_in_plans_of_course}) as included_in_plans, case
  when (false or NOT EXISTS ({shared.school_show_counts_false})) then course.enrollments_count
  end as enrollments_count
from course
where ((status = 'published' and visibility = 'public') and NOT EXISTS ({shared.school_courses_false}))
  and course.school_id = :school_id
order by position asc, id asc
limit 21;

-- listCourses, learner
-- the first 5 lines of listCourses, anonymous
  published_previews_count, duration_minutes, published_duration_minutes, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({cover_image_of_course}) as cover_image, ({lecturers_of_course_2}) as lecturers,
  ({included_in_plans_of_course_2}) as included_in_plans, case
  when ({course_condition}) then course.enrollments_count
  end as enrollments_count, ({my_enrollment_of_course}) as my_enrollment
from course
where (
  (({shared.status_condition}) or ({shared.course_status_condition})) and NOT EXISTS ({shared.school_courses_false})
)
  and course.school_id = :school_id
order by position asc, id asc
limit 21;

-- listCourses, lecturer
-- the first 6 lines of listCourses, learner
  when exists ({shared.course_lecturer_of_course}) then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({cover_image_of_course}) as cover_image, ({lecturers_of_course_2}) as lecturers,
  ({included_in_plans_of_course_2}) as included_in_plans, case
  when ({course_condition}) then course.enrollments_count
  end as enrollments_count, ({my_enrollment_of_course}) as my_enrollment
from course
where (
  (({shared.status_condition}) or ({shared.course_status_condition}) or exists ({shared.course_lecturer_of_course}))
  and NOT EXISTS ({shared.school_courses_false})
)
  and course.school_id = :school_id
order by position asc, id asc
limit 21;

-- listCourses, staff
-- the first 6 lines of listCourses, anonymous
  cast('staff' as text) as seen_as, ({cover_image_of_course}) as cover_image, ({lecturers_of_course_3}) as lecturers,
  ({included_in_plans_of_course_3}) as included_in_plans, course.enrollments_count as enrollments_count,
  ({my_enrollment_of_course}) as my_enrollment
from course
where (true) and course.school_id = :school_id
order by id desc
limit 21;

-- getCourse, anonymous
-- columns and tables of listCourses, anonymous
where (
  (
    ((status = 'published' and visibility = 'public') and NOT EXISTS ({shared.school_courses_false}))
    or ((status = 'published' and visibility = 'unlisted') and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and course.school_id = :school_id
limit 1;

-- getCourse, learner
-- columns and tables of listCourses, learner
where (
  (
    ((({shared.status_condition}) or ({shared.course_status_condition})) and NOT EXISTS ({shared.school_courses_false}))
    or ((status = 'published' and visibility = 'unlisted') and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and course.school_id = :school_id
limit 1;

-- getCourse, lecturer
-- columns and tables of listCourses, lecturer
where (
  (
    (
      (({shared.status_condition}) or ({shared.course_status_condition}) or exists ({shared.course_lecturer_of_course}))
      and NOT EXISTS ({shared.school_courses_false})
    )
    or ((status = 'published' and visibility = 'unlisted') and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and course.school_id = :school_id
limit 1;

-- getCourse, staff
-- columns and tables of listCourses, staff
where ((true or (status = 'published' and visibility = 'unlisted')) and id = :row_id) and course.school_id = :school_id
limit 1;
