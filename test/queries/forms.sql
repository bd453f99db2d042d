-- Printed by npm run docs: the statements of forms for each role. The parts in braces are below, or in shared.sql.

-- {pages_of_form}
SELECT json_build_object(
  'form', form.id, 'pages',
  json_agg(
    json_build_object(
      'id', page.id, 'slug', page.slug, 'forms',
      jsonb_path_query_array(page.live, '$.blocks[*] ? (@.type == "form").props.form_id')
    )
    ORDER BY page.id
  )
)
FROM page
WHERE page.school_id = form.school_id
  AND page.status = 'published'
  AND page.visibility = 'public'
  AND page.live @? '$.blocks[*] ? (@.type == "form")'

-- listForms, anonymous
select id, title, slug, description, success_message, submit_label, consent_text, notifies_staff, copies_answers,
  submissions_count, last_submission_at, opens_at, closes_at, created_at, updated_at, status, fields,
  version as version, cast('public' as text) as seen_as, ({pages_of_form}) as pages
from form
where ((form.status = 'published' AND (form.closes_at IS NULL OR form.closes_at > now())))
  and form.school_id = :school_id
order by id desc
limit 21;

-- listForms, learner, lecturer
select id, title, slug, description, success_message, submit_label, consent_text, notifies_staff, copies_answers,
  submissions_count, last_submission_at, opens_at, closes_at, created_at, updated_at, status, fields,
  version as version, case
  when false then cast('staff' as text)
  when (false or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({pages_of_form}) as pages
from form
where ((form.status = 'published' AND (form.closes_at IS NULL OR form.closes_at > now())))
  and form.school_id = :school_id
order by id desc
limit 21;

-- listForms, staff
select id, title, slug, description, success_message, submit_label, consent_text, notifies_staff, copies_answers,
  submissions_count, last_submission_at, opens_at, closes_at, created_at, updated_at, status, fields,
  version as version, cast('staff' as text) as seen_as, ({pages_of_form}) as pages
from form
where (true) and form.school_id = :school_id
order by id desc
limit 21;

-- getForm, anonymous
-- columns and tables of listForms, anonymous
where ((form.status = 'published' AND (form.closes_at IS NULL OR form.closes_at > now())) and id = :row_id)
  and form.school_id = :school_id
limit 1;

-- getForm, learner, lecturer
-- columns and tables of listForms, learner, lecturer
where ((form.status = 'published' AND (form.closes_at IS NULL OR form.closes_at > now())) and id = :row_id)
  and form.school_id = :school_id
limit 1;

-- getForm, staff
-- columns and tables of listForms, staff
where (true and id = :row_id) and form.school_id = :school_id
limit 1;
