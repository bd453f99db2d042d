-- Works with releases from: 20261123150000_reported_forms
-- Locks: none

-- A change of a row that names the same files as before, all of which have their references, leaves them alone. Every other change of such a row
-- deleted and added references by statements that PostgreSQL plans each time: a change of a description cost six times that of release 1.0.0.

CREATE OR REPLACE FUNCTION keep_file_references() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    school_column text := CASE TG_TABLE_NAME WHEN 'school' THEN 'id' ELSE 'school_id' END;
    school uuid := coalesce(new_row, old_row) ->> school_column;
    holder uuid := coalesce(new_row, old_row) ->> TG_ARGV[1];
BEGIN
    -- Most rows name no file: this test is much cheaper than to search each column.
    IF concat(old_row, new_row) !~ 'fil_[0-7]|file_ids?": \[?"' THEN
        RETURN NULL;
    END IF;
    -- A text that changes seldom changes the files that it names.
    IF TG_OP = 'UPDATE' AND NOT EXISTS (
        WITH former AS (SELECT * FROM named_files(old_row, TG_ARGV)), present AS (SELECT * FROM named_files(new_row, TG_ARGV))
        (TABLE former EXCEPT TABLE present)
        UNION ALL
        SELECT present.* FROM present WHERE NOT EXISTS (
            SELECT FROM file_reference AS reference
             WHERE reference.school_id = school AND reference.file_id = present.file_id AND reference.ref_type = TG_ARGV[0]
                   AND reference.ref_id = holder AND reference.field = present.field)
    ) THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM named_files(old_row, TG_ARGV)) THEN
        -- Another row of the same object can name the file too, such as another revision.
        EXECUTE format('
            WITH lost AS (
                SELECT field, file_id FROM named_files($1, $2)
                EXCEPT
                SELECT named.field, named.file_id FROM %I AS held, named_files(to_jsonb(held), $2) AS named WHERE held.%I = $3 AND held.%I = $4
            ), released AS (
                DELETE FROM file_reference AS reference USING lost
                 WHERE reference.school_id = $3 AND reference.file_id = lost.file_id AND reference.field = lost.field
                       AND reference.ref_type = $5 AND reference.ref_id = $4
                RETURNING reference.file_id
            ), locked AS (
                SELECT id FROM file WHERE school_id = $3 AND id IN (SELECT file_id FROM released) ORDER BY id FOR NO KEY UPDATE
            )
            UPDATE file SET unused_since = now() FROM locked WHERE file.school_id = $3 AND file.id = locked.id',
            TG_TABLE_NAME, school_column, TG_ARGV[1]
        ) USING old_row, TG_ARGV, school, holder, TG_ARGV[0];
    END IF;
    IF EXISTS (SELECT FROM named_files(new_row, TG_ARGV)) THEN
        -- Private files are served at signed addresses only, which a text cannot contain.
        INSERT INTO file_reference (school_id, file_id, ref_type, ref_id, field)
            SELECT school, locked.id, TG_ARGV[0], holder, named.field
              FROM (SELECT id, visibility FROM file
                     WHERE school_id = school AND id IN (SELECT file_id FROM named_files(new_row, TG_ARGV)) ORDER BY id FOR KEY SHARE) AS locked
              JOIN named_files(new_row, TG_ARGV) AS named ON named.file_id = locked.id AND (locked.visibility = 'public' OR NOT named.is_text)
            ON CONFLICT DO NOTHING;
        UPDATE file SET status = 'ready', unused_since = now(), updated_at = now(), version = file.version + 1
          FROM file_reference AS reference
         WHERE file.school_id = school AND file.status = 'deleted' AND reference.school_id = school AND reference.file_id = file.id
               AND reference.ref_type = TG_ARGV[0] AND reference.ref_id = holder;
    END IF;
    RETURN NULL;
END $$;
