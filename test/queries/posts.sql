-- Printed by npm run docs: the statements of posts for each role. The parts in braces are below, or in shared.sql.

-- {author_of_post}
(
  select to_json(obj)
  from (
    select case
      when lecturer.status = 'active' then lecturer.id
      end as lecturer_id, lecturer.display_name, ({shared.avatar_of_lecturer}) as avatar
    from lecturer
    where (lecturer.id = post.author_lecturer_id) and lecturer.school_id = :school_id
  ) as obj
),
json_build_object(
  'display_name', (select school.name from school where (school.id = :school_id) and school.id = :school_id)
)

-- {author_of_post_2}
(
  select to_json(obj)
  from (
    select case
      when (lecturer.status = 'active' or lecturer.id = :lecturer_id) then lecturer.id
      end as lecturer_id, lecturer.display_name, ({shared.avatar_of_lecturer}) as avatar
    from lecturer
    where (lecturer.id = post.author_lecturer_id) and lecturer.school_id = :school_id
  ) as obj
),
json_build_object(
  'display_name', (select school.name from school where (school.id = :school_id) and school.id = :school_id)
)

-- {author_of_post_3}
(
  select to_json(obj)
  from (
    select case
      when true then lecturer.id
      end as lecturer_id, lecturer.display_name, ({shared.avatar_of_lecturer}) as avatar
    from lecturer
    where (lecturer.id = post.author_lecturer_id) and lecturer.school_id = :school_id
  ) as obj
),
json_build_object(
  'display_name', (select school.name from school where (school.id = :school_id) and school.id = :school_id)
)

-- {content_format_of_post}
select post_body.content_format
from post_body
where (post_body.post_id = post.id) and post_body.school_id = :school_id

-- {content_html_of_post}
select post_body.content_html
from post_body
where (post_body.post_id = post.id) and post_body.school_id = :school_id

-- {content_of_post}
select post_body.content
from post_body
where (post_body.post_id = post.id) and post_body.school_id = :school_id

-- {cover_image_of_post}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(post.cover_image_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = post.school_id AND file.id = post.cover_image_file_id AND file.status = 'ready'

-- {excerpt_of_post}
post.excerpt, case when post.visibility = 'public' then post.automatic_excerpt end

-- {plan_ids_of_post}
select array_agg(plans.plan_id) as plan_ids
from (
  select post_plan.plan_id
  from post_plan
  where (post_plan.post_id = post.id) and post_plan.school_id = :school_id
  order by post_plan.plan_id
) as plans

-- {post_status_condition}
({shared.post_status_condition_3}) or ({shared.post_status_condition_2})

-- listPosts, anonymous
select id, title, slug, kind, visibility, tags, pinned, comments_enabled, comments_count, reading_minutes, archived_at,
  seo, external_id, metadata, created_at, updated_at, status, scheduled_for, published_at, version as version, case
  when ({shared.post_status_condition_2}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, coalesce({excerpt_of_post}) as excerpt, ({content_of_post}) as content,
  ({content_format_of_post}) as content_format, ({content_html_of_post}) as content_html,
  ({cover_image_of_post}) as cover_image, coalesce({author_of_post}) as author, ({plan_ids_of_post}) as plan_ids
from post
where (({shared.post_status_condition}) and NOT EXISTS ({shared.school_blog_false})) and post.school_id = :school_id
order by coalesce(published_at, '-infinity'::timestamptz) desc, id desc
limit 21;

-- listPosts, learner
select id, title, slug, kind, visibility, tags, pinned, comments_enabled, comments_count, reading_minutes, archived_at,
  seo, external_id, metadata, created_at, updated_at, status, scheduled_for, published_at, version as version, case
  when false then cast('staff' as text)
  when ({post_status_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, coalesce({excerpt_of_post}) as excerpt, ({content_of_post}) as content,
  ({content_format_of_post}) as content_format, ({content_html_of_post}) as content_html,
  ({cover_image_of_post}) as cover_image, coalesce({author_of_post_2}) as author, ({plan_ids_of_post}) as plan_ids
from post
where (({shared.post_status_condition}) and NOT EXISTS ({shared.school_blog_false})) and post.school_id = :school_id
order by coalesce(published_at, '-infinity'::timestamptz) desc, id desc
limit 21;

-- listPosts, lecturer
select id, title, slug, kind, visibility, tags, pinned, comments_enabled, comments_count, reading_minutes, archived_at,
  seo, external_id, metadata, created_at, updated_at, status, scheduled_for, published_at, version as version, case
  when post.author_lecturer_id = :lecturer_id then cast('staff' as text)
  when ({post_status_condition}) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, coalesce({excerpt_of_post}) as excerpt, ({content_of_post}) as content,
  ({content_format_of_post}) as content_format, ({content_html_of_post}) as content_html,
  ({cover_image_of_post}) as cover_image, coalesce({author_of_post_2}) as author, ({plan_ids_of_post}) as plan_ids
from post
where (
  (({shared.post_status_condition}) or post.author_lecturer_id = :lecturer_id)
  and NOT EXISTS ({shared.school_blog_false})
)
  and post.school_id = :school_id
order by coalesce(published_at, '-infinity'::timestamptz) desc, id desc
limit 21;

-- listPosts, staff
select id, title, slug, kind, visibility, tags, pinned, comments_enabled, comments_count, reading_minutes, archived_at,
  seo, external_id, metadata, created_at, updated_at, status, scheduled_for, published_at, version as version,
  cast('staff' as text) as seen_as, coalesce({excerpt_of_post}) as excerpt, ({content_of_post}) as content,
  ({content_format_of_post}) as content_format, ({content_html_of_post}) as content_html,
  ({cover_image_of_post}) as cover_image, coalesce({author_of_post_3}) as author, ({plan_ids_of_post}) as plan_ids
from post
where (true) and post.school_id = :school_id
order by id desc
limit 21;

-- getPost, anonymous
-- columns and tables of listPosts, anonymous
where ((({shared.post_status_condition}) and NOT EXISTS ({shared.school_blog_false})) and id = :row_id)
  and post.school_id = :school_id
limit 1;

-- getPost, learner
-- columns and tables of listPosts, learner
where ((({shared.post_status_condition}) and NOT EXISTS ({shared.school_blog_false})) and id = :row_id)
  and post.school_id = :school_id
limit 1;

-- getPost, lecturer
-- columns and tables of listPosts, lecturer
where (
  (
    (({shared.post_status_condition}) or post.author_lecturer_id = :lecturer_id)
    and NOT EXISTS ({shared.school_blog_false})
  )
  and id = :row_id
)
  and post.school_id = :school_id
limit 1;

-- getPost, staff
-- columns and tables of listPosts, staff
where (true and id = :row_id) and post.school_id = :school_id
limit 1;

-- listPostTags, anonymous, learner, lecturer
select id
from school
where (id = :school_id and NOT EXISTS ({shared.school_blog_false})) and school.id = :school_id;

select (array_agg(tagged.tag ORDER BY tagged.id))[1] as tag, count(*) as count
from (
  select unnest(post.tags) as tag, unnest(post.tag_forms) as form, post.id
  from post
  where ({shared.post_status_condition}) and post.school_id = :school_id
) as tagged
group by tagged.form
order by count desc, tagged.form
limit 1000;

-- listPostTags, staff
select (array_agg(tagged.tag ORDER BY tagged.id))[1] as tag, count(*) as count
from (
  select unnest(post.tags) as tag, unnest(post.tag_forms) as form, post.id
  from post
  where ({shared.post_status_condition}) and post.school_id = :school_id
) as tagged
group by tagged.form
order by count desc, tagged.form
limit 1000;
