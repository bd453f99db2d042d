-- Printed by npm run docs: the statements of uploads for each role. The parts in braces are below, or in shared.sql.

-- {upload_of_upload}
SELECT json_build_object(
  'id', upload.id, 'status', upload.status, 'expires_at', upload.expires_at, 'content_type', file.content_type
)
FROM file
WHERE file.school_id = upload.school_id AND file.id = upload.file_id

-- getUpload, learner, lecturer
select id, status, file_id, expires_at, created_at, updated_at, version as version, case
  when false then cast('staff' as text)
  when (
    exists (
      select
      from file
      where (file.id = upload.file_id and file.uploaded_by = :account_id) and file.school_id = :school_id
    )
    or false
  ) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({upload_of_upload}) as upload
from upload
where (
  exists (
    select
    from file
    where (file.id = upload.file_id and file.uploaded_by = :account_id) and file.school_id = :school_id
  )
  and id = :row_id
)
  and upload.school_id = :school_id
limit 1;

-- getUpload, staff
select id, status, file_id, expires_at, created_at, updated_at, version as version, cast('staff' as text) as seen_as,
  ({upload_of_upload}) as upload
from upload
where (true and id = :row_id) and upload.school_id = :school_id
limit 1;
