-- Printed by npm run docs: the statements of appearance for each role. The parts in braces are below, or in shared.sql.

-- {cover_of_appearance}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(appearance.cover_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = appearance.school_id AND file.id = appearance.cover_file_id AND file.status = 'ready'

-- {favicon_of_appearance}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(appearance.favicon_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = appearance.school_id AND file.id = appearance.favicon_file_id AND file.status = 'ready'

-- {logo_dark_of_appearance}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(appearance.logo_dark_alt, file.alt), 'width',
  file.width, 'height', file.height
)
FROM file
WHERE file.school_id = appearance.school_id AND file.id = appearance.logo_dark_file_id AND file.status = 'ready'

-- {logo_of_appearance}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(appearance.logo_alt, file.alt), 'width', file.width,
  'height', file.height
)
FROM file
WHERE file.school_id = appearance.school_id AND file.id = appearance.logo_file_id AND file.status = 'ready'

-- {social_image_of_appearance}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(appearance.social_image_alt, file.alt), 'width',
  file.width, 'height', file.height
)
FROM file
WHERE file.school_id = appearance.school_id AND file.id = appearance.social_image_file_id AND file.status = 'ready'

-- getAppearance, anonymous
select id, theme, mode, colors, fonts, corner_radius, home_page_id, announcement, custom_css, created_at, updated_at,
  version as version, cast('public' as text) as seen_as, ({logo_of_appearance}) as logo,
  ({logo_dark_of_appearance}) as logo_dark, ({favicon_of_appearance}) as favicon, ({cover_of_appearance}) as cover,
  ({social_image_of_appearance}) as social_image,
  json_build_object(
    'links', appearance.links, 'open',
    (
      select jsonb_agg(page.id) as ids
      from page
      where (
        page.status = 'published'
        and page.visibility != 'members'
        and strpos(cast(appearance.links as text), cast(page.id as text)) > 0
      )
        and page.school_id = :school_id
    ),
    'limited', true
  ) as navigation
from appearance
where (true) and appearance.school_id = :school_id
limit 1;

-- getAppearance, learner, lecturer
select id, theme, mode, colors, fonts, corner_radius, home_page_id, announcement, custom_css, created_at, updated_at,
  version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({logo_of_appearance}) as logo, ({logo_dark_of_appearance}) as logo_dark,
  ({favicon_of_appearance}) as favicon, ({cover_of_appearance}) as cover,
  ({social_image_of_appearance}) as social_image,
  json_build_object(
    'links', appearance.links, 'open',
    (
      select jsonb_agg(page.id) as ids
      from page
      where (
        page.status = 'published'
        and page.visibility != ''
        and strpos(cast(appearance.links as text), cast(page.id as text)) > 0
      )
        and page.school_id = :school_id
    ),
    'limited', true
  ) as navigation
from appearance
where (true) and appearance.school_id = :school_id
limit 1;

-- getAppearance, staff
select id, theme, mode, colors, fonts, corner_radius, home_page_id, announcement, custom_css, created_at, updated_at,
  version as version, cast('staff' as text) as seen_as, ({logo_of_appearance}) as logo,
  ({logo_dark_of_appearance}) as logo_dark, ({favicon_of_appearance}) as favicon, ({cover_of_appearance}) as cover,
  ({social_image_of_appearance}) as social_image,
  json_build_object('links', appearance.links, 'open', null, 'limited', false) as navigation
from appearance
where (true) and appearance.school_id = :school_id
limit 1;
