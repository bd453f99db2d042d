-- Printed by npm run docs: the statements of pages for each role. The parts in braces are below, or in shared.sql.

-- listPages, anonymous
select id, slug, kind, status, visibility, published_at, external_id, metadata, created_at, updated_at, title,
  draft_title, draft_blocks, draft_seo, draft_show_in_navigation, live, version as version,
  cast('public' as text) as seen_as
from page
where (status = 'published' and visibility = 'public') and page.school_id = :school_id
order by id desc
limit 21;

-- listPages, learner, lecturer
select id, slug, kind, status, visibility, published_at, external_id, metadata, created_at, updated_at, title,
  draft_title, draft_blocks, draft_seo, draft_show_in_navigation, live, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as
from page
where ({shared.status_condition}) and page.school_id = :school_id
order by id desc
limit 21;

-- listPages, staff
select id, slug, kind, status, visibility, published_at, external_id, metadata, created_at, updated_at, title,
  draft_title, draft_blocks, draft_seo, draft_show_in_navigation, live, version as version,
  cast('staff' as text) as seen_as
from page
where (true) and page.school_id = :school_id
order by id desc
limit 21;

-- getPage, anonymous
-- columns and tables of listPages, anonymous
where (
  ((status = 'published' and visibility = 'public') or (status = 'published' and visibility = 'unlisted'))
  and id = :row_id
)
  and page.school_id = :school_id
limit 1;

-- getPage, learner, lecturer
-- columns and tables of listPages, learner, lecturer
where ((({shared.status_condition}) or (status = 'published' and visibility = 'unlisted')) and id = :row_id)
  and page.school_id = :school_id
limit 1;

-- getPage, staff
-- columns and tables of listPages, staff
where ((true or (status = 'published' and visibility = 'unlisted')) and id = :row_id) and page.school_id = :school_id
limit 1;
