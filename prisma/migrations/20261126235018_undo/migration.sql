-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on appearance, SHARE ROW EXCLUSIVE on comment, SHARE ROW EXCLUSIVE on coupon, SHARE ROW EXCLUSIVE on coupon_item, SHARE ROW EXCLUSIVE on course, SHARE ROW EXCLUSIVE on course_lecturer, SHARE ROW EXCLUSIVE on digital_product, SHARE ROW EXCLUSIVE on enrollment, SHARE ROW EXCLUSIVE on entitlement, SHARE ROW EXCLUSIVE on event, SHARE ROW EXCLUSIVE on event_host, SHARE ROW EXCLUSIVE on event_plan, SHARE ROW EXCLUSIVE on file_reference, SHARE ROW EXCLUSIVE on former_slug, SHARE ROW EXCLUSIVE on lecturer, SHARE ROW EXCLUSIVE on lesson, SHARE ROW EXCLUSIVE on lesson_body, SHARE ROW EXCLUSIVE on lesson_progress, SHARE ROW EXCLUSIVE on membership_plan, SHARE ROW EXCLUSIVE on page, SHARE ROW EXCLUSIVE on page_revision, SHARE ROW EXCLUSIVE on person, SHARE ROW EXCLUSIVE on person_tag, SHARE ROW EXCLUSIVE on plan_item, SHARE ROW EXCLUSIVE on plan_price, SHARE ROW EXCLUSIVE on post, SHARE ROW EXCLUSIVE on post_body, SHARE ROW EXCLUSIVE on post_plan, SHARE ROW EXCLUSIVE on product_file, SHARE ROW EXCLUSIVE on quiz_attempt, SHARE ROW EXCLUSIVE on rsvp, SHARE ROW EXCLUSIVE on school, SHARE ROW EXCLUSIVE on section

-- CreateTable
CREATE TABLE "undo_record" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "undone_at" TIMESTAMPTZ(3),
    "undone_by" UUID,
    "sealed" TEXT,

    CONSTRAINT "undo_record_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "undo_image" (
    "school_id" UUID NOT NULL,
    "record_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "undo_image_pkey" PRIMARY KEY ("school_id","record_id","person_id")
);

-- CreateTable
CREATE UNLOGGED TABLE "undo_capture" (
    "school_id" UUID NOT NULL,
    "transaction" BIGINT NOT NULL,
    "n" SERIAL NOT NULL,
    "table_name" TEXT NOT NULL,
    "row_key" JSONB NOT NULL,
    "person_id" UUID,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "undo_capture_pkey" PRIMARY KEY ("school_id","transaction","n")
);

-- CreateIndex
CREATE INDEX "undo_record_expires_at_idx" ON "undo_record"("expires_at");

-- CreateIndex
CREATE INDEX "undo_image_school_id_person_id_idx" ON "undo_image"("school_id", "person_id");

-- AddForeignKey
ALTER TABLE "undo_record" ADD CONSTRAINT "undo_record_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "undo_image" ADD CONSTRAINT "undo_image_school_id_record_id_fkey" FOREIGN KEY ("school_id", "record_id") REFERENCES "undo_record"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: a transaction with the setting schoolgate.undo captures the rows that it changes, until they exceed that many bytes. A row counts
-- at least 839 bytes, so that 4 MiB hold 5,000 rows. The arguments are the columns of the key.
CREATE FUNCTION capture_change() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    bytes_left bigint := current_setting(''schoolgate.undo'')::bigint;
    old_row jsonb := CASE WHEN TG_OP = ''INSERT'' THEN NULL ELSE to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP = ''DELETE'' THEN NULL ELSE to_jsonb(NEW) END;
    whole jsonb := coalesce(new_row, old_row);
BEGIN
    IF bytes_left <= 0 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = ''UPDATE'' THEN
        SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, whole -> key) INTO old_row, new_row
          FROM jsonb_each(old_row) WHERE value IS DISTINCT FROM whole -> key;
        IF old_row IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    bytes_left := bytes_left - greatest(839, coalesce(octet_length(old_row::text), 0) + coalesce(octet_length(new_row::text), 0));
    PERFORM set_config(''schoolgate.undo'', greatest(bytes_left, 0)::text, true);
    IF bytes_left > 0 THEN
        INSERT INTO undo_capture (school_id, transaction, table_name, row_key, person_id, before, after)
            VALUES (
                (whole ->> ''school_id'')::uuid,
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
CREATE TRIGGER appearance_captured AFTER INSERT OR UPDATE OR DELETE ON appearance FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change();
CREATE TRIGGER comment_captured AFTER INSERT OR UPDATE OR DELETE ON comment FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER coupon_captured AFTER INSERT OR UPDATE OR DELETE ON coupon FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER coupon_item_captured AFTER INSERT OR UPDATE OR DELETE ON coupon_item FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('coupon_id', 'product_type', 'product_id');
CREATE TRIGGER course_captured AFTER INSERT OR UPDATE OR DELETE ON course FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER course_lecturer_captured AFTER INSERT OR UPDATE OR DELETE ON course_lecturer FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('course_id', 'lecturer_id');
CREATE TRIGGER digital_product_captured AFTER INSERT OR UPDATE OR DELETE ON digital_product FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER enrollment_captured AFTER INSERT OR UPDATE OR DELETE ON enrollment FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER entitlement_captured AFTER INSERT OR UPDATE OR DELETE ON entitlement FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER event_captured AFTER INSERT OR UPDATE OR DELETE ON event FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER event_host_captured AFTER INSERT OR UPDATE OR DELETE ON event_host FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('event_id', 'lecturer_id');
CREATE TRIGGER event_plan_captured AFTER INSERT OR UPDATE OR DELETE ON event_plan FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('event_id', 'plan_id');
CREATE TRIGGER file_reference_captured AFTER INSERT OR UPDATE OR DELETE ON file_reference FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('file_id', 'ref_type', 'ref_id', 'field');
CREATE TRIGGER former_slug_captured AFTER INSERT OR UPDATE OR DELETE ON former_slug FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('type', 'slug');
CREATE TRIGGER lecturer_captured AFTER INSERT OR UPDATE OR DELETE ON lecturer FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER lesson_captured AFTER INSERT OR UPDATE OR DELETE ON lesson FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER lesson_body_captured AFTER INSERT OR UPDATE OR DELETE ON lesson_body FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('lesson_id');
CREATE TRIGGER lesson_progress_captured AFTER INSERT OR UPDATE OR DELETE ON lesson_progress FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER membership_plan_captured AFTER INSERT OR UPDATE OR DELETE ON membership_plan FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER page_captured AFTER INSERT OR UPDATE OR DELETE ON page FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER page_revision_captured AFTER INSERT OR UPDATE OR DELETE ON page_revision FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('page_id', 'number');
CREATE TRIGGER person_captured AFTER INSERT OR UPDATE OR DELETE ON person FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER person_tag_captured AFTER INSERT OR UPDATE OR DELETE ON person_tag FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('person_id', 'kind', 'tag');
CREATE TRIGGER plan_item_captured AFTER INSERT OR UPDATE OR DELETE ON plan_item FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('plan_id', 'product_type', 'product_id');
CREATE TRIGGER plan_price_captured AFTER INSERT OR UPDATE OR DELETE ON plan_price FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER post_captured AFTER INSERT OR UPDATE OR DELETE ON post FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER post_body_captured AFTER INSERT OR UPDATE OR DELETE ON post_body FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('post_id');
CREATE TRIGGER post_plan_captured AFTER INSERT OR UPDATE OR DELETE ON post_plan FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('post_id', 'plan_id');
CREATE TRIGGER product_file_captured AFTER INSERT OR UPDATE OR DELETE ON product_file FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER quiz_attempt_captured AFTER INSERT OR UPDATE OR DELETE ON quiz_attempt FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER rsvp_captured AFTER INSERT OR UPDATE OR DELETE ON rsvp FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
CREATE TRIGGER section_captured AFTER INSERT OR UPDATE OR DELETE ON section FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');
