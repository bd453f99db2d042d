-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on account, SHARE ROW EXCLUSIVE on coupon_redemption, SHARE ROW EXCLUSIVE on file, SHARE ROW EXCLUSIVE on form, SHARE ROW EXCLUSIVE on form_submission, SHARE ROW EXCLUSIVE on notification, SHARE ROW EXCLUSIVE on orders, SHARE ROW EXCLUSIVE on staff, SHARE ROW EXCLUSIVE on subscription

-- Handwritten: passwords are never captured, an account belongs to its person, and deleted rows beyond the limit are counted by table, in
-- the setting schoolgate.uncaptured.
CREATE OR REPLACE FUNCTION capture_change() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    bytes_left bigint := current_setting(''schoolgate.undo'')::bigint;
    old_row jsonb := CASE WHEN TG_OP = ''INSERT'' THEN NULL ELSE to_jsonb(OLD) - ''password_hash'' END;
    new_row jsonb := CASE WHEN TG_OP = ''DELETE'' THEN NULL ELSE to_jsonb(NEW) - ''password_hash'' END;
    whole jsonb := coalesce(new_row, old_row);
    names text[] := ''{title,name,display_name,code,number,filename,person_id,price_currency,compare_at_currency,currency,is_student,is_member}'';
    person uuid := CASE WHEN TG_TABLE_NAME = ''person'' THEN whole ->> ''id'' ELSE whole ->> ''person_id'' END;
    uncaptured jsonb;
    counted text;
BEGIN
    IF TG_OP = ''UPDATE'' THEN
        SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, whole -> key) INTO old_row, new_row
          FROM jsonb_each(old_row)
         WHERE value IS DISTINCT FROM whole -> key OR key = ANY (names)
        HAVING bool_or(value IS DISTINCT FROM whole -> key);
        IF old_row IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    IF TG_TABLE_NAME = ''account'' THEN
        SELECT id INTO person FROM person
         WHERE school_id = (whole ->> ''school_id'')::uuid AND account_id = (whole ->> ''id'')::uuid LIMIT 1;
        IF person IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    IF bytes_left > 0 THEN
        bytes_left := bytes_left - greatest(839, coalesce(octet_length(old_row::text), 0) + coalesce(octet_length(new_row::text), 0));
        PERFORM set_config(''schoolgate.undo'', greatest(bytes_left, 0)::text, true);
    END IF;
    IF bytes_left > 0 THEN
        INSERT INTO undo_capture (school_id, transaction, table_name, row_key, person_id, before, after)
            VALUES (
                coalesce(whole ->> ''school_id'', whole ->> ''id'')::uuid,
                pg_current_xact_id()::text::bigint,
                TG_TABLE_NAME,
                coalesce((SELECT jsonb_object_agg(name, whole -> name) FROM unnest(TG_ARGV) AS name), ''{}''),
                person,
                old_row,
                new_row
            );
    ELSIF TG_OP = ''DELETE'' THEN
        uncaptured := coalesce(nullif(current_setting(''schoolgate.uncaptured'', true), ''''), ''{}'');
        counted := TG_TABLE_NAME || CASE WHEN person IS NULL THEN '''' ELSE '' person'' END;
        PERFORM set_config(
            ''schoolgate.uncaptured'',
            (uncaptured || jsonb_build_object(counted, coalesce((uncaptured ->> counted)::int, 0) + 1))::text,
            true
        );
    END IF;
    RETURN NULL;
END';

-- These changes are described, but cannot be taken back.
CREATE TRIGGER account_captured AFTER UPDATE OF email, pending_email, name, given_name, family_name, locale, time_zone, preferences, disabled_at, deletion_scheduled_at, avatar_alt, avatar_file_id ON account FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER coupon_redemption_captured AFTER INSERT OR UPDATE OR DELETE ON coupon_redemption FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER file_captured AFTER INSERT OR UPDATE OF filename, purpose, visibility, status, alt OR DELETE ON file FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER form_captured AFTER INSERT OR UPDATE OR DELETE ON form FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER form_submission_captured AFTER INSERT OR UPDATE OR DELETE ON form_submission FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER notification_captured AFTER INSERT ON notification FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('kind', 'subject_id');
CREATE TRIGGER orders_captured AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER staff_captured AFTER INSERT OR UPDATE OR DELETE ON staff FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER subscription_captured AFTER INSERT OR UPDATE OR DELETE ON subscription FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
