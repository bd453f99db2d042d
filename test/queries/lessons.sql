-- Printed by npm run docs: the statements of lessons for each role. The parts in braces are below, or in shared.sql.

-- {attachments_of_lesson}
select coalesce(json_agg(agg), '[]')
from (
  select file.id as file_id, file.filename, file.content_type, file.bytes as byte_size,
    file.id = any(lesson.attachment_file_ids) as is_attached
  from file
  where (
    file.status = 'ready'
    and (file.id = any(lesson.attachment_file_ids) or file.id = (lesson.media ->> 'file_id')::uuid)
  )
    and file.school_id = :school_id
  order by array_position(lesson.attachment_file_ids, file.id)
) as agg

-- {cast_of_lesson}
case
when ({shared.lesson_is_preview_condition}) then null
when exists ({shared.course_of_lesson}) then null
else cast({shared.cast_of_lesson})
end as text

-- {completed_at_of_lesson}
SELECT lesson_progress.completed_at
FROM lesson_progress
JOIN enrollment ON enrollment.school_id = lesson_progress.school_id AND enrollment.id = lesson_progress.enrollment_id
WHERE enrollment.school_id = lesson.school_id
  AND enrollment.course_id = lesson.course_id
  AND enrollment.person_id = :person_id
  AND lesson_progress.lesson_id = lesson.id

-- {content_format_of_lesson}
select lesson_body.content_format
from lesson_body
where (lesson_body.lesson_id = lesson.id) and lesson_body.school_id = :school_id

-- {content_html_of_lesson}
select lesson_body.content_html
from lesson_body
where (lesson_body.lesson_id = lesson.id) and lesson_body.school_id = :school_id

-- {content_of_lesson}
select lesson_body.content
from lesson_body
where (lesson_body.lesson_id = lesson.id) and lesson_body.school_id = :school_id

-- {enrollment_of_lesson}
SELECT greatest({shared.greatest_of_enrollment_and_lesson})
FROM enrollment
WHERE enrollment.school_id = lesson.school_id
  AND enrollment.course_id = lesson.course_id
  AND enrollment.person_id = :person_id
  AND CASE
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
  END = 'drip'

-- {lesson_is_preview_condition}
case
when ({shared.lesson_is_preview_condition}) then null
when exists ({shared.course_of_lesson}) then null
else cast({shared.cast_of_lesson})
end is null
or ({shared.lesson_is_preview_condition})

-- {lesson_of_lesson}
select cast(count(*) as integer) as place
from lesson as other
where (other.section_id = lesson.section_id and other.status = 'published' and other.position < lesson.position)
  and other.school_id = :school_id

-- {lesson_status_condition}
lesson.status = 'published'
and exists (
  select
  from course
  where (
    course.school_id = lesson.school_id
    and course.id = lesson.course_id
    and (status = 'published' and visibility = 'unlisted')
  )
    and course.school_id = :school_id
)

-- {lesson_status_condition_2}
lesson.status = 'published'
and exists (
  select
  from course
  where (
    course.school_id = lesson.school_id
    and course.id = lesson.course_id
    and (({shared.status_condition}) or ({shared.course_status_condition}))
  )
    and course.school_id = :school_id
)

-- getLesson, anonymous
select id, course_id, section_id, title, kind, status, is_preview, duration_seconds, event_id, comments_enabled,
  external_id, metadata, created_at, updated_at, media, quiz, drip, version as version, case
  when ({shared.lesson_is_preview_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, case
  when false then lesson.position
  else ({lesson_of_lesson})
  end as position, case
  when ({shared.lesson_is_preview_condition}) then null
  when false then null
  else cast('not_enrolled' as text)
  end as locked, case
  when ({shared.lesson_is_preview_condition}) then null
  when false then null
  else cast('not_enrolled' as text)
  end as lock_reason, ({content_of_lesson}) as content, ({content_format_of_lesson}) as content_format,
  ({content_html_of_lesson}) as content_html, ({attachments_of_lesson}) as attachments, case
  when ({shared.lesson_is_preview_condition}) then null
  when false then null
  else cast('not_enrolled' as text)
  end is null as unlocked, null as unlocks_at, null as completed_at
from lesson
where (
  (
    (
      (
        lesson.status = 'published'
        and exists (
          select
          from course
          where (
            course.school_id = lesson.school_id
            and course.id = lesson.course_id
            and (status = 'published' and visibility = 'public')
          )
            and course.school_id = :school_id
        )
      )
      and NOT EXISTS ({shared.school_courses_false})
    )
    or (({lesson_status_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and lesson.school_id = :school_id
limit 1;

-- getLesson, learner
select id, course_id, section_id, title, kind, status, is_preview, duration_seconds, event_id, comments_enabled,
  external_id, metadata, created_at, updated_at, media, quiz, drip, version as version, case
  when false then cast('staff' as text)
  when ({lesson_is_preview_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, case
  when exists ({shared.course_of_lesson}) then lesson.position
  else ({lesson_of_lesson})
  end as position, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end as locked, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end as lock_reason, ({content_of_lesson}) as content, ({content_format_of_lesson}) as content_format,
  ({content_html_of_lesson}) as content_html, ({attachments_of_lesson}) as attachments, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end is null as unlocked, case
  when cast({cast_of_lesson}) = 'drip' then ({enrollment_of_lesson})
  end as unlocks_at, ({completed_at_of_lesson}) as completed_at
from lesson
where (
  (
    (({lesson_status_condition_2}) and NOT EXISTS ({shared.school_courses_false}))
    or (({lesson_status_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and lesson.school_id = :school_id
limit 1;

-- getLesson, lecturer
select id, course_id, section_id, title, kind, status, is_preview, duration_seconds, event_id, comments_enabled,
  external_id, metadata, created_at, updated_at, media, quiz, drip, version as version, case
  when exists ({shared.course_of_lesson}) then cast('staff' as text)
  when ({lesson_is_preview_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, case
  when exists ({shared.course_of_lesson}) then lesson.position
  else ({lesson_of_lesson})
  end as position, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end as locked, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end as lock_reason, ({content_of_lesson}) as content, ({content_format_of_lesson}) as content_format,
  ({content_html_of_lesson}) as content_html, ({attachments_of_lesson}) as attachments, case
  when ({shared.lesson_is_preview_condition}) then null
  when exists ({shared.course_of_lesson}) then null
  else cast({shared.cast_of_lesson})
  end is null as unlocked, case
  when cast({cast_of_lesson}) = 'drip' then ({enrollment_of_lesson})
  end as unlocks_at, ({completed_at_of_lesson}) as completed_at
from lesson
where (
  (
    (
      (({lesson_status_condition_2}) or exists ({shared.course_of_lesson}))
      and NOT EXISTS ({shared.school_courses_false})
    )
    or (({lesson_status_condition}) and NOT EXISTS ({shared.school_courses_false}))
  )
  and id = :row_id
)
  and lesson.school_id = :school_id
limit 1;

-- getLesson, staff
select id, course_id, section_id, title, kind, status, is_preview, duration_seconds, event_id, comments_enabled,
  external_id, metadata, created_at, updated_at, media, quiz, drip, version as version,
  cast('staff' as text) as seen_as, lesson.position as position, cast(null as text) as locked,
  cast(null as text) as lock_reason, ({content_of_lesson}) as content, ({content_format_of_lesson}) as content_format,
  ({content_html_of_lesson}) as content_html, ({attachments_of_lesson}) as attachments,
  cast(null as text) is null as unlocked, null as unlocks_at, ({completed_at_of_lesson}) as completed_at
from lesson
where ((true or ({lesson_status_condition})) and id = :row_id) and lesson.school_id = :school_id
limit 1;
