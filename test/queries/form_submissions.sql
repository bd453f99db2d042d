-- Printed by npm run docs: the statements of form_submissions for each role. The parts in braces are below, or in shared.sql.

-- {contact_of_form_submission}
SELECT json_build_object(
  'email', form_submission.email, 'name', form_submission.name, 'student_id', CASE
  WHEN person.is_student THEN person.id
  END, 'member_id', CASE
  WHEN person.is_member THEN person.id
  END
)
FROM (SELECT 1) AS one
LEFT JOIN person ON person.school_id = form_submission.school_id
  AND person.id = form_submission.person_id
  AND person.erased_at IS NULL

-- listFormSubmissions, staff
select id, form_id, form_version, source_path, locale, consent_text, spam, submitted_at, created_at, updated_at,
  answers, version as version, cast('staff' as text) as seen_as, ({contact_of_form_submission}) as contact
from form_submission
where (true) and form_submission.school_id = :school_id
order by submitted_at desc, id desc
limit 21;

-- getFormSubmission, staff
-- columns and tables of listFormSubmissions, staff
where (true and id = :row_id) and form_submission.school_id = :school_id
limit 1;
