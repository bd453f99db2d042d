-- Printed by npm run docs: the statements of lecturers for each role. The parts in braces are below, or in shared.sql.

-- {courses_count_of_lecturer}
select to_json(obj)
from (
  select count(*) filter(where (status = 'published' and visibility = 'public')) as in_catalogue,
    array_agg(course.id) as ids
  from course_lecturer
  inner join course on (course.id = course_lecturer.course_id) and course.school_id = :school_id
  where (course_lecturer.lecturer_id = lecturer.id) and course_lecturer.school_id = :school_id
) as obj

-- {cover_image_of_lecturer}
SELECT json_build_object(
  'file_id', file.id, 'filename', file.filename, 'alt', coalesce(lecturer.cover_image_alt, file.alt), 'width',
  file.width, 'height', file.height
)
FROM file
WHERE file.school_id = lecturer.school_id AND file.id = lecturer.cover_image_file_id AND file.status = 'ready'

-- {events_count_of_lecturer}
select cast(count(*) as int4) as events
from event_host
inner join event on (event.id = event_host.event_id) and event.school_id = :school_id
where (event_host.lecturer_id = lecturer.id and event.status = 'published' and event.ends_at > now())
  and event_host.school_id = :school_id

-- {staff_id_of_lecturer}
select staff.id
from staff
where (staff.lecturer_id = lecturer.id and staff.status != 'removed') and staff.school_id = :school_id
limit 1

-- listLecturers, anonymous
select id, display_name, slug, headline, bio, bio_format, bio_html, links, expertise, status, featured, students_count,
  position, email, external_id, metadata, created_at, updated_at, version as version, cast('public' as text) as seen_as,
  ({shared.avatar_of_lecturer}) as avatar, ({cover_image_of_lecturer}) as cover_image,
  ({courses_count_of_lecturer}) as courses_count, ({events_count_of_lecturer}) as events_count,
  ({staff_id_of_lecturer}) as staff_id
from lecturer
where (status = 'active') and lecturer.school_id = :school_id
order by position asc, id asc
limit 21;

-- listLecturers, learner
select id, display_name, slug, headline, bio, bio_format, bio_html, links, expertise, status, featured, students_count,
  position, email, external_id, metadata, created_at, updated_at, version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({shared.avatar_of_lecturer}) as avatar, ({cover_image_of_lecturer}) as cover_image,
  ({courses_count_of_lecturer}) as courses_count, ({events_count_of_lecturer}) as events_count,
  ({staff_id_of_lecturer}) as staff_id
from lecturer
where (status = 'active') and lecturer.school_id = :school_id
order by position asc, id asc
limit 21;

-- listLecturers, lecturer
select id, display_name, slug, headline, bio, bio_format, bio_html, links, expertise, status, featured, students_count,
  position, email, external_id, metadata, created_at, updated_at, version as version, case
  when lecturer.id = :lecturer_id then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({shared.avatar_of_lecturer}) as avatar, ({cover_image_of_lecturer}) as cover_image,
  ({courses_count_of_lecturer}) as courses_count, ({events_count_of_lecturer}) as events_count,
  ({staff_id_of_lecturer}) as staff_id
from lecturer
where (status = 'active' or lecturer.id = :lecturer_id) and lecturer.school_id = :school_id
order by position asc, id asc
limit 21;

-- listLecturers, staff
select id, display_name, slug, headline, bio, bio_format, bio_html, links, expertise, status, featured, students_count,
  position, email, external_id, metadata, created_at, updated_at, version as version, cast('staff' as text) as seen_as,
  ({shared.avatar_of_lecturer}) as avatar, ({cover_image_of_lecturer}) as cover_image,
  ({courses_count_of_lecturer}) as courses_count, ({events_count_of_lecturer}) as events_count,
  ({staff_id_of_lecturer}) as staff_id
from lecturer
where (true) and lecturer.school_id = :school_id
order by position asc, id asc
limit 21;

-- getLecturer, anonymous
-- columns and tables of listLecturers, anonymous
where (status = 'active' and id = :row_id) and lecturer.school_id = :school_id
limit 1;

-- getLecturer, learner
-- columns and tables of listLecturers, learner
where (status = 'active' and id = :row_id) and lecturer.school_id = :school_id
limit 1;

-- getLecturer, lecturer
-- columns and tables of listLecturers, lecturer
where ((status = 'active' or lecturer.id = :lecturer_id) and id = :row_id) and lecturer.school_id = :school_id
limit 1;

-- getLecturer, staff
-- columns and tables of listLecturers, staff
where (true and id = :row_id) and lecturer.school_id = :school_id
limit 1;
