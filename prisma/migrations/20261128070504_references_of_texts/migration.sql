-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on account, SHARE ROW EXCLUSIVE on appearance, SHARE ROW EXCLUSIVE on comment, SHARE ROW EXCLUSIVE on course, SHARE ROW EXCLUSIVE on digital_product, SHARE ROW EXCLUSIVE on event, SHARE ROW EXCLUSIVE on file, SHARE ROW EXCLUSIVE on file_reference, SHARE ROW EXCLUSIVE on form, SHARE ROW EXCLUSIVE on lecturer, SHARE ROW EXCLUSIVE on lesson, SHARE ROW EXCLUSIVE on lesson_body, SHARE ROW EXCLUSIVE on membership_plan, SHARE ROW EXCLUSIVE on page, SHARE ROW EXCLUSIVE on page_revision, SHARE ROW EXCLUSIVE on person, SHARE ROW EXCLUSIVE on post, SHARE ROW EXCLUSIVE on post_body, SHARE ROW EXCLUSIVE on product_file, SHARE ROW EXCLUSIVE on school, SHARE ROW EXCLUSIVE on section, SHARE ROW EXCLUSIVE on undo_record

-- CreateTable
CREATE TABLE "undo_file" (
    "school_id" UUID NOT NULL,
    "record_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,

    CONSTRAINT "undo_file_pkey" PRIMARY KEY ("school_id","record_id","file_id")
);

-- CreateIndex
CREATE INDEX "undo_file_school_id_file_id_idx" ON "undo_file"("school_id", "file_id");

-- AddForeignKey
ALTER TABLE "undo_file" ADD CONSTRAINT "undo_file_school_id_file_id_fkey" FOREIGN KEY ("school_id", "file_id") REFERENCES "file"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "undo_file" ADD CONSTRAINT "undo_file_school_id_record_id_fkey" FOREIGN KEY ("school_id", "record_id") REFERENCES "undo_record"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: the files that a row names follow from its columns, however it is written. Arguments of the triggers: the type of the object,
-- the column with its id, and what can name files, as field:column.
CREATE FUNCTION file_ids_in(written text) RETURNS SETOF uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (SELECT string_agg(to_hex(substr(bits, 4 * n + 3, 4)::bit(4)::int), '' ORDER BY n) FROM generate_series(0, 31) AS n)::uuid
      FROM (SELECT DISTINCT found[1] AS id FROM regexp_matches(written, 'fil_([0-7][0-9a-hjkmnp-tv-z]{25})', 'g') AS found) AS ids,
           LATERAL (SELECT string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, n, 1)) - 1)::bit(5)::text, '' ORDER BY n) AS bits
                      FROM generate_series(1, 26) AS n) AS decoded
$$;
CREATE FUNCTION named_files(held jsonb, arguments text[]) RETURNS TABLE (field text, file_id uuid, is_text boolean) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT DISTINCT split_part(argument, ':', 1), found.id, NOT found.is_field
      FROM unnest(arguments) AS argument,
           LATERAL (SELECT held ->> split_part(argument, ':', 2) AS written, argument ~ '(file_ids?|:media)$' AS is_column) AS named,
           LATERAL (SELECT file_ids_in(written) AS id, false AS is_field
                    UNION ALL
                    SELECT match[1]::uuid, true
                      FROM regexp_matches(CASE WHEN is_column THEN written END, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') AS match) AS found
$$;
CREATE FUNCTION keep_file_references() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER account_files AFTER INSERT OR DELETE OR UPDATE OF avatar_file_id ON account FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('account', 'id', 'avatar:avatar_file_id');
CREATE TRIGGER appearance_files AFTER INSERT OR DELETE OR UPDATE OF logo_file_id, logo_dark_file_id, favicon_file_id, cover_file_id, social_image_file_id, links, announcement, custom_css ON appearance FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('appearance', 'school_id', 'logo:logo_file_id', 'logo_dark:logo_dark_file_id', 'favicon:favicon_file_id', 'cover:cover_file_id', 'social_image:social_image_file_id', 'navigation:links', 'announcement:announcement', 'custom_css:custom_css');
CREATE TRIGGER comment_files AFTER INSERT OR DELETE OR UPDATE OF body, body_html ON comment FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('comment', 'id', 'body:body', 'body:body_html');
CREATE TRIGGER course_files AFTER INSERT OR DELETE OR UPDATE OF cover_image_file_id, trailer_url, description, description_html ON course FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('course', 'id', 'cover_image:cover_image_file_id', 'trailer_url:trailer_url', 'description:description', 'description:description_html');
CREATE TRIGGER digital_product_files AFTER INSERT OR DELETE OR UPDATE OF cover_image_file_id, preview_file_id, description, description_html ON digital_product FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('digital_product', 'id', 'cover_image:cover_image_file_id', 'preview_file:preview_file_id', 'description:description', 'description:description_html');
CREATE TRIGGER event_files AFTER INSERT OR DELETE OR UPDATE OF cover_image_file_id, recording_url, description, description_html ON event FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('event', 'id', 'cover_image:cover_image_file_id', 'recording_url:recording_url', 'description:description', 'description:description_html');
CREATE TRIGGER form_files AFTER INSERT OR DELETE OR UPDATE OF description, fields, success_message, consent_text ON form FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('form', 'id', 'description:description', 'fields:fields', 'success_message:success_message', 'consent_text:consent_text');
CREATE TRIGGER lecturer_files AFTER INSERT OR DELETE OR UPDATE OF avatar_file_id, cover_image_file_id, links, bio, bio_html ON lecturer FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('lecturer', 'id', 'avatar:avatar_file_id', 'cover_image:cover_image_file_id', 'links:links', 'bio:bio', 'bio:bio_html');
CREATE TRIGGER lesson_files AFTER INSERT OR DELETE OR UPDATE OF media, attachment_file_ids, quiz ON lesson FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('lesson', 'id', 'media:media', 'attachment_file_ids:attachment_file_ids', 'quiz:quiz');
CREATE TRIGGER lesson_body_files AFTER INSERT OR DELETE OR UPDATE OF content, content_html ON lesson_body FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('lesson', 'lesson_id', 'content:content', 'content:content_html');
CREATE TRIGGER membership_plan_files AFTER INSERT OR DELETE OR UPDATE OF benefits, description, description_html ON membership_plan FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('membership_plan', 'id', 'benefits:benefits', 'description:description', 'description:description_html');
CREATE TRIGGER page_files AFTER INSERT OR DELETE OR UPDATE OF draft_blocks, live ON page FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('page', 'id', 'blocks:draft_blocks', 'blocks:live');
CREATE TRIGGER page_revision_files AFTER INSERT OR DELETE OR UPDATE OF content ON page_revision FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('page', 'page_id', 'revisions:content');
CREATE TRIGGER person_files AFTER INSERT OR DELETE OR UPDATE OF avatar_file_id ON person FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('member', 'id', 'avatar:avatar_file_id');
CREATE TRIGGER post_files AFTER INSERT OR DELETE OR UPDATE OF cover_image_file_id, excerpt ON post FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('post', 'id', 'cover_image:cover_image_file_id', 'excerpt:excerpt');
CREATE TRIGGER post_body_files AFTER INSERT OR DELETE OR UPDATE OF content, content_html ON post_body FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('post', 'post_id', 'content:content', 'content:content_html');
CREATE TRIGGER product_file_files AFTER INSERT OR DELETE OR UPDATE OF file_id ON product_file FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('digital_product', 'product_id', 'files:file_id');
CREATE TRIGGER school_files AFTER INSERT OR DELETE OR UPDATE OF social_links, legal, description, description_html ON school FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('school', 'id', 'social_links:social_links', 'legal:legal', 'description:description', 'description:description_html');
CREATE TRIGGER section_files AFTER INSERT OR DELETE OR UPDATE OF summary ON section FOR EACH ROW
    EXECUTE FUNCTION keep_file_references('section', 'id', 'summary:summary');

-- Release 1.0.0 adds references itself, and may run meanwhile.
CREATE FUNCTION skip_known_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM file_reference WHERE school_id = NEW.school_id AND file_id = NEW.file_id
                      AND ref_type = NEW.ref_type AND ref_id = NEW.ref_id AND field = NEW.field) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER file_reference_known BEFORE INSERT ON file_reference FOR EACH ROW EXECUTE FUNCTION skip_known_reference();
