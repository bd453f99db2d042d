-- Printed by npm run docs: the statements of files for each role. The parts in braces are below, or in shared.sql.

-- {references_count_of_file}
SELECT count(*)
FROM file_reference
WHERE file_reference.school_id = file.school_id
  AND file_reference.file_id = file.id
  AND file_reference.field <> 'revisions'

-- listFiles, learner, lecturer
select id, filename, content_type, checksum_sha256, purpose, visibility, status, alt, width, height, metadata_removed,
  duration_seconds, uploaded_by, created_at, updated_at, bytes, version as version, case
  when false then cast('staff' as text)
  when (uploaded_by = :account_id or false) then cast('own' as text)
  else cast('public' as text)
  end as seen_as, ({references_count_of_file}) as references_count
from file
where (uploaded_by = :account_id) and file.school_id = :school_id
order by id desc
limit 21;

-- listFiles, staff
select id, filename, content_type, checksum_sha256, purpose, visibility, status, alt, width, height, metadata_removed,
  duration_seconds, uploaded_by, created_at, updated_at, bytes, version as version, cast('staff' as text) as seen_as,
  ({references_count_of_file}) as references_count
from file
where (true) and file.school_id = :school_id
order by id desc
limit 21;

-- getFile, learner, lecturer
-- columns and tables of listFiles, learner, lecturer
where (uploaded_by = :account_id and id = :row_id) and file.school_id = :school_id
limit 1;

-- getFile, staff
-- columns and tables of listFiles, staff
where (true and id = :row_id) and file.school_id = :school_id
limit 1;
