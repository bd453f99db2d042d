-- Printed by npm run docs: the statements of school for each role. The parts in braces are below, or in shared.sql.

-- getSchool, anonymous
select id, name, slug, tagline, description, description_format, status, locale, supported_locales, time_zone, currency,
  contact_email, support_url, address, social_links, legal, registration, settings, features, created_at, updated_at,
  description_html, counts, app_rules, version as version, cast('public' as text) as seen_as,
  (
    select storage_usage.bytes
    from storage_usage
    where (storage_usage.school_id = school.id) and storage_usage.school_id = :school_id
  ) as limits
from school
where (true) and school.id = :school_id
limit 1;

-- getSchool, learner, lecturer
select id, name, slug, tagline, description, description_format, status, locale, supported_locales, time_zone, currency,
  contact_email, support_url, address, social_links, legal, registration, settings, features, created_at, updated_at,
  description_html, counts, app_rules, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as,
  (
    select storage_usage.bytes
    from storage_usage
    where (storage_usage.school_id = school.id) and storage_usage.school_id = :school_id
  ) as limits
from school
where (true) and school.id = :school_id
limit 1;

-- getSchool, staff
select id, name, slug, tagline, description, description_format, status, locale, supported_locales, time_zone, currency,
  contact_email, support_url, address, social_links, legal, registration, settings, features, created_at, updated_at,
  description_html, counts, app_rules, version as version, cast('staff' as text) as seen_as,
  (
    select storage_usage.bytes
    from storage_usage
    where (storage_usage.school_id = school.id) and storage_usage.school_id = :school_id
  ) as limits
from school
where (true) and school.id = :school_id
limit 1;

-- listOfferedApps, staff
select app_rules
from school
where school.id = :school_id;

-- listCategories, anonymous, learner, lecturer, staff
select category, count(*) as count
from course
where (
  category is not null
  and ((status = 'published' and visibility = 'public') and NOT EXISTS ({shared.school_courses_false}))
)
  and course.school_id = :school_id
group by category
order by category;
