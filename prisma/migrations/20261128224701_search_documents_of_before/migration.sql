-- Works with releases from: 20261123150000_reported_forms
-- Locks: ROW EXCLUSIVE on search_document
-- Work: scans comment, scans coupon, scans course, scans digital_product, scans event, scans file, scans form, scans lecturer, scans membership_plan, scans orders, scans page, scans person, scans post, writes search_document

-- The rows of before. A row is locked while its document is added, so that a deletion at the same time removes both.
DO $$
DECLARE
    last_school uuid;
    last_id uuid;
BEGIN
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "course" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'course', "id", lower(concat_ws(E'\n', part.title, part.subtitle, part.slug)), lower(NULL), search_vector(part.title, ARRAY[part.subtitle, part.category, part.level] || part.tags, part.description) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "lecturer" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'lecturer', "id", lower(concat_ws(E'\n', part.display_name, part.headline, part.slug)), lower(NULL), search_vector(part.display_name, ARRAY[part.headline] || part.expertise, part.bio) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "event" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'event', "id", lower(concat_ws(E'\n', part.title, part.slug)), lower(NULL), search_vector(part.title, ARRAY[part.kind], CASE WHEN part.access = 'public' THEN part.description END) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "membership_plan" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'membership_plan', "id", lower(concat_ws(E'\n', part.name, part.slug)), lower(NULL), search_vector(part.name, ARRAY[part.badge] || part.benefits, part.description) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "post" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'post', "id", lower(concat_ws(E'\n', part.title, part.slug)), lower(NULL), search_vector(part.title, ARRAY[part.kind] || part.tags, coalesce(part.excerpt, CASE WHEN part.visibility = 'public' THEN part.automatic_excerpt END)) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "digital_product" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'digital_product', "id", lower(concat_ws(E'\n', part.title, part.subtitle, part.slug)), lower(NULL), search_vector(part.title, ARRAY[part.subtitle, part.category, part.kind] || part.tags, part.description) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "page" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'page', "id", lower(concat_ws(E'\n', part.title, part.slug)), lower(NULL), search_vector(part.title, ARRAY[part.kind], NULL) FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "form" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'form', "id", lower(concat_ws(E'\n', part.title, part.slug)), lower(NULL), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "coupon" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'coupon', "id", lower(concat_ws(E'\n', part.code, part.name)), lower(NULL), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "file" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'file', "id", lower(part.filename), lower(NULL), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "orders" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'order', "id", lower(part.number), lower(part.buyer_email), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "comment" WHERE ("school_id", "id") > (last_school, last_id) ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'comment', "id", lower(NULL), lower(part.body), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "person" WHERE ("school_id", "id") > (last_school, last_id) AND "is_student" ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'student', "id", lower(concat_ws(E'\n', part.name, part.email)), lower(NULL), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    last_school := '00000000-0000-0000-0000-000000000000';
    last_id := last_school;
    LOOP
        WITH part AS (
            SELECT * FROM "person" WHERE ("school_id", "id") > (last_school, last_id) AND "is_member" ORDER BY "school_id", "id" LIMIT 1000 FOR KEY SHARE
        ), added AS (
            INSERT INTO "search_document" ("school_id", "type", "id", "text", "staff_text", "words")
            SELECT "school_id", 'member', "id", lower(coalesce(part.display_name, part.name)), lower(concat_ws(E'\n', part.name, part.email)), NULL FROM part
            ON CONFLICT DO NOTHING
        )
        SELECT "school_id", "id" INTO last_school, last_id FROM part ORDER BY "school_id" DESC, "id" DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$$;
