-- Printed by npm run docs: the statements of certificates for each role. The parts in braces are below, or in shared.sql.

-- {course_of_certificate}
select
from course
where (
  course.school_id = certificate.school_id
  and course.id = certificate.course_id
  and exists ({shared.course_lecturer_of_course})
)
  and course.school_id = :school_id

-- listCertificates, learner
select id, number, enrollment_id, course_id, completed_at, issued_at, course_title, holder_name, corrected_at,
  revoked_at, created_at, updated_at, person_id, version as version, case
  when false then cast('staff' as text)
  when (certificate.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, case
  when certificate.revoked_at is null then 'valid'
  else 'revoked'
  end as status
from certificate
where (certificate.person_id = :person_id) and certificate.school_id = :school_id
order by issued_at desc, id desc
limit 21;

-- listCertificates, lecturer
select id, number, enrollment_id, course_id, completed_at, issued_at, course_title, holder_name, corrected_at,
  revoked_at, created_at, updated_at, person_id, version as version, case
  when exists ({course_of_certificate}) then cast('staff' as text)
  when (certificate.person_id = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, case
  when certificate.revoked_at is null then 'valid'
  else 'revoked'
  end as status
from certificate
where (certificate.person_id = :person_id or exists ({course_of_certificate})) and certificate.school_id = :school_id
order by issued_at desc, id desc
limit 21;

-- listCertificates, staff
select id, number, enrollment_id, course_id, completed_at, issued_at, course_title, holder_name, corrected_at,
  revoked_at, created_at, updated_at, person_id, version as version, cast('staff' as text) as seen_as, case
  when certificate.revoked_at is null then 'valid'
  else 'revoked'
  end as status
from certificate
where (true) and certificate.school_id = :school_id
order by issued_at desc, id desc
limit 21;

-- verifyCertificate, anonymous, learner, lecturer, staff
select number, holder_name, course_title, issued_at, corrected_at, revoked_at, course.certificate_template as template,
  course.published_duration_minutes as duration_minutes,
  (
    select coalesce(json_agg(agg), '[]')
    from (
      select lecturer.display_name
      from course_lecturer
      inner join lecturer on (lecturer.id = course_lecturer.lecturer_id) and lecturer.school_id = :school_id
      where (course_lecturer.course_id = certificate.course_id and lecturer.status = 'active')
        and course_lecturer.school_id = :school_id
      order by course_lecturer.position
    ) as agg
  ) as lecturers
from certificate
inner join course on (course.id = certificate.course_id) and course.school_id = :school_id
where (certificate.number = '7QW3KD9XHM2TB5ZE') and certificate.school_id = :school_id;
