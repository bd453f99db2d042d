-- Printed by npm run docs: the statements of comments for each role. The parts in braces are below, or in shared.sql.

-- {author_of_comment}
select to_json(obj)
from (
  select person.id, coalesce(person.display_name, person.name) as display_name, ({shared.avatar_of_person}) as avatar
  from person
  where (person.school_id = comment.school_id and person.id = comment.person_id and person.erased_at is null)
    and person.school_id = :school_id
) as obj

-- {comment_status_condition}
(
  (comment.status = 'published' or (comment.status = 'deleted' and comment.replies_count > 0))
  and NOT EXISTS (
    SELECT 1 FROM school WHERE school.id = :school_id AND school.settings @> '{"comments_enabled":false}'::jsonb
  )
  and (
    (
      comment.subject_type = 'post'
      and exists (
        select
        from post
        where (
          post.id = comment.subject_id
          and post.comments_enabled = true
          and NOT EXISTS ({shared.school_blog_false})
          and ({shared.post_status_condition_2})
        )
          and post.school_id = :school_id
        offset 0
      )
    )
    or (
      comment.subject_type = 'event'
      and exists (
        select
        from event
        where (
          event.id = comment.subject_id
          and NOT EXISTS ({shared.school_events_false})
          and event.status in ('published', 'canceled')
          and event.access = 'public'
        )
          and event.school_id = :school_id
        offset 0
      )
    )
  )
)
and NOT EXISTS (SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"community":false}'::jsonb)

-- {comment_status_condition_2}
(comment.status = 'published' or (comment.status = 'deleted' and comment.replies_count > 0))
and NOT EXISTS (
  SELECT 1 FROM school WHERE school.id = :school_id AND school.settings @> '{"comments_enabled":false}'::jsonb
)
and (
  (
    comment.subject_type = 'post'
    and exists (
      select
      from post
      where (
        post.id = comment.subject_id
        and post.comments_enabled = true
        and NOT EXISTS ({shared.school_blog_false})
        and (
          ({shared.post_status_condition_2})
          or (({shared.post_status_condition}) and ({shared.post_status_condition_3}))
        )
      )
        and post.school_id = :school_id
      offset 0
    )
  )
  or (
    comment.subject_type = 'event'
    and exists (
      select
      from event
      where (
        event.id = comment.subject_id
        and NOT EXISTS ({shared.school_events_false})
        and event.status in ('published', 'canceled')
        and (event.access = 'public' or ({shared.event_access_condition}) or ({shared.event_condition}))
      )
        and event.school_id = :school_id
      offset 0
    )
  )
  or (
    comment.subject_type = 'lesson'
    and exists (
      select
      from lesson
      where (
        lesson.id = comment.subject_id
        and lesson.comments_enabled = true
        and lesson.status = 'published'
        and NOT EXISTS ({shared.school_courses_false})
        and case
        when ({shared.lesson_is_preview_condition}) then null
        when exists ({shared.course_of_lesson}) then null
        else cast({shared.cast_of_lesson})
        end is null
      )
        and lesson.school_id = :school_id
      offset 0
    )
  )
)

-- {comment_status_condition_3}
(
  ({comment_status_condition_2})
  or exists (
    select
    from course
    where (course.id = comment.course_id and exists ({shared.course_lecturer_of_course}))
      and course.school_id = :school_id
  )
)
and NOT EXISTS (SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"community":false}'::jsonb)

-- {subject_of_comment}
'type', comment.subject_type, 'id', comment.subject_id, 'title', case
when comment.subject_type = 'post' then (
  select post.title
  from post
  where (post.id = comment.subject_id) and post.school_id = :school_id
)
when comment.subject_type = 'event' then (
  select event.title
  from event
  where (event.id = comment.subject_id) and event.school_id = :school_id
)
else (select lesson.title from lesson where (lesson.id = comment.subject_id) and lesson.school_id = :school_id)
end

-- listComments, anonymous
select id, course_id, author_role, parent_id, status, replies_count, reactions_count, edited_at, moderation, created_at,
  updated_at, body, body_html, version as version, cast('public' as text) as seen_as,
  json_build_object({subject_of_comment}) as subject, ({author_of_comment}) as author
from comment
where ({comment_status_condition}) and comment.school_id = :school_id
order by id desc
limit 21;

-- listComments, learner
select id, course_id, author_role, parent_id, status, replies_count, reactions_count, edited_at, moderation, created_at,
  updated_at, body, body_html, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, json_build_object({subject_of_comment}) as subject, ({author_of_comment}) as author
from comment
where (
  ({comment_status_condition_2})
  and NOT EXISTS (SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"community":false}'::jsonb)
)
  and comment.school_id = :school_id
order by id desc
limit 21;

-- listComments, lecturer
select id, course_id, author_role, parent_id, status, replies_count, reactions_count, edited_at, moderation, created_at,
  updated_at, body, body_html, version as version, case
  when exists (
    select
    from course
    where (course.id = comment.course_id and exists ({shared.course_lecturer_of_course}))
      and course.school_id = :school_id
  ) then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, json_build_object({subject_of_comment}) as subject, ({author_of_comment}) as author
from comment
where ({comment_status_condition_3}) and comment.school_id = :school_id
order by id desc
limit 21;

-- listComments, staff
select id, course_id, author_role, parent_id, status, replies_count, reactions_count, edited_at, moderation, created_at,
  updated_at, body, body_html, version as version, cast('staff' as text) as seen_as,
  json_build_object({subject_of_comment}) as subject, ({author_of_comment}) as author
from comment
where (true) and comment.school_id = :school_id
order by id desc
limit 21;

-- getComment, anonymous
-- columns and tables of listComments, anonymous
where (({comment_status_condition}) and id = :row_id) and comment.school_id = :school_id
limit 1;

-- getComment, learner
-- columns and tables of listComments, learner
where (
  (
    ({comment_status_condition_2})
    and NOT EXISTS (
      SELECT 1 FROM school WHERE school.id = :school_id AND school.features @> '{"community":false}'::jsonb
    )
  )
  and id = :row_id
)
  and comment.school_id = :school_id
limit 1;

-- getComment, lecturer
-- columns and tables of listComments, lecturer
where (({comment_status_condition_3}) and id = :row_id) and comment.school_id = :school_id
limit 1;

-- getComment, staff
-- columns and tables of listComments, staff
where (true and id = :row_id) and comment.school_id = :school_id
limit 1;
