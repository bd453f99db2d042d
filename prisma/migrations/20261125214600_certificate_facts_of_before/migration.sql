-- Works with releases from: 20261123150000_reported_forms
-- Locks: ROW EXCLUSIVE on enrollment
-- Work: writes enrollment

-- Certificates that were issued before keep the name and the title that they show on the day of this migration.
DO $$
DECLARE
    changed integer;
BEGIN
    LOOP
        UPDATE "enrollment" SET
            "certificate_course_title" = "course"."title",
            "certificate_holder_name" = CASE WHEN "person"."erased_at" IS NULL THEN "person"."name" END
        FROM (
            SELECT "school_id", "id" FROM "enrollment"
            WHERE "certificate_number" IS NOT NULL AND "certificate_course_title" IS NULL
            LIMIT 1000
        ) AS "part", "course", "person"
        WHERE "enrollment"."school_id" = "part"."school_id" AND "enrollment"."id" = "part"."id"
            AND "course"."school_id" = "enrollment"."school_id" AND "course"."id" = "enrollment"."course_id"
            AND "person"."school_id" = "enrollment"."school_id" AND "person"."id" = "enrollment"."person_id";
        GET DIAGNOSTICS changed = ROW_COUNT;
        EXIT WHEN changed = 0;
        COMMIT;
    END LOOP;
END $$;
