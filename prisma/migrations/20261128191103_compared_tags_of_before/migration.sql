-- Works with releases from: 20261123150000_reported_forms
-- Locks: ROW EXCLUSIVE on course, ROW EXCLUSIVE on digital_product, ROW EXCLUSIVE on person_tag, ROW EXCLUSIVE on post
-- Work: writes course, writes digital_product, writes person_tag, writes post

-- Tags that were written before get their forms, and lose other spellings of the same tag. The trigger computes both.
DO $$
BEGIN
    LOOP
        UPDATE "course" SET "tags" = "tags"
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "course" WHERE "tag_forms" IS NULL LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "digital_product" SET "tags" = "tags"
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "digital_product" WHERE "tag_forms" IS NULL LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "post" SET "tags" = "tags"
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "post" WHERE "tag_forms" IS NULL LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "person_tag" SET "form" = comparison_form("tag")
         WHERE ctid IN (SELECT ctid FROM "person_tag" WHERE "form" IS NULL LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        DELETE FROM "person_tag" WHERE ctid IN (
            SELECT again.ctid FROM "person_tag" AS again
             WHERE EXISTS (SELECT FROM "person_tag" AS first
                            WHERE first."school_id" = again."school_id" AND first."person_id" = again."person_id" AND first."kind" = again."kind"
                                  AND first."form" = again."form" AND first."tag" < again."tag")
             LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$$;
