-- Works with releases from: 20261123150000_reported_forms
-- Locks: ROW EXCLUSIVE on file_reference
-- Work: scans account, scans appearance, scans comment, scans course, scans digital_product, scans event, writes file_reference, scans form, scans lecturer, scans lesson, scans lesson_body, scans membership_plan, scans page, scans page_revision, scans person, scans post, scans post_body, scans product_file, scans school, scans section

-- The references of stored rows, from their columns as the triggers know them. Rows without a file are passed over without reading JSON.
DO $$
DECLARE
    holder record;
BEGIN
    FOR holder IN
        SELECT relation.relname AS name, split.arguments,
               CASE relation.relname WHEN 'school' THEN 'id' ELSE 'school_id' END AS school_column,
               (SELECT string_agg(format('held.%I::text', split_part(argument, ':', 2)), ', ')
                  FROM unnest(split.arguments) AS argument WHERE argument LIKE '%:%') AS columns
          FROM pg_trigger AS stored
          JOIN pg_class AS relation ON relation.oid = stored.tgrelid AND relation.relnamespace = current_schema()::regnamespace,
               LATERAL (SELECT string_to_array(rtrim(encode(stored.tgargs, 'escape'), '\000'), '\000') AS arguments) AS split
         WHERE stored.tgname = relation.relname || '_files'
         ORDER BY relation.relname
    LOOP
        EXECUTE format('
            INSERT INTO file_reference (school_id, file_id, ref_type, ref_id, field)
            SELECT DISTINCT file.school_id, file.id, $1[1], held.%I, named.field
              FROM %I AS held, named_files(to_jsonb(held), $1) AS named, file
             WHERE concat_ws(chr(32), %s) ~ ''fil_|[0-9a-f]-[0-9a-f]{4}-'' AND file.school_id = held.%I AND file.id = named.file_id
                   AND (file.visibility = ''public'' OR NOT named.is_text)
            ON CONFLICT DO NOTHING',
            holder.arguments[2], holder.name, holder.columns, holder.school_column
        ) USING holder.arguments;
        COMMIT;
    END LOOP;
    -- The picture of a person is referenced once, whichever resource set it.
    DELETE FROM file_reference WHERE ref_type = 'student';
END $$;
