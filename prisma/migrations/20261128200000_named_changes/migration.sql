-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on undo_image, ACCESS EXCLUSIVE on undo_record

-- Handwritten: the image of an updated row also has the columns that name it, and the currencies of its prices, so that a change can be described.
CREATE OR REPLACE FUNCTION capture_change() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    bytes_left bigint := current_setting(''schoolgate.undo'')::bigint;
    old_row jsonb := CASE WHEN TG_OP = ''INSERT'' THEN NULL ELSE to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP = ''DELETE'' THEN NULL ELSE to_jsonb(NEW) END;
    whole jsonb := coalesce(new_row, old_row);
    names text[] := ''{title,name,display_name,code,price_currency,compare_at_currency,is_student,is_member}'';
BEGIN
    IF bytes_left <= 0 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = ''UPDATE'' THEN
        SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, whole -> key) INTO old_row, new_row
          FROM jsonb_each(old_row)
         WHERE value IS DISTINCT FROM whole -> key OR key = ANY (names)
        HAVING bool_or(value IS DISTINCT FROM whole -> key);
        IF old_row IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    bytes_left := bytes_left - greatest(839, coalesce(octet_length(old_row::text), 0) + coalesce(octet_length(new_row::text), 0));
    PERFORM set_config(''schoolgate.undo'', greatest(bytes_left, 0)::text, true);
    IF bytes_left > 0 THEN
        INSERT INTO undo_capture (school_id, transaction, table_name, row_key, person_id, before, after)
            VALUES (
                coalesce(whole ->> ''school_id'', whole ->> ''id'')::uuid,
                pg_current_xact_id()::text::bigint,
                TG_TABLE_NAME,
                coalesce((SELECT jsonb_object_agg(name, whole -> name) FROM unnest(TG_ARGV) AS name), ''{}''),
                (CASE WHEN TG_TABLE_NAME = ''person'' THEN whole ->> ''id'' ELSE whole ->> ''person_id'' END)::uuid,
                old_row,
                new_row
            );
    END IF;
    RETURN NULL;
END';

-- AlterTable
ALTER TABLE "undo_record" ADD COLUMN     "effect" TEXT,
ADD COLUMN     "is_undoable" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "undo_image" ADD COLUMN     "effect" TEXT,
ALTER COLUMN "sealed" DROP NOT NULL;
