-- Works with releases from: 20261123150000_reported_forms
-- Locks: none
-- Work: scans enrollment

-- The certificates that enrolments have in their columns become rows, which have the ids of the enrolments. Until this release, a reset of the
-- progress revoked a certificate; it stays revoked. One that a second completion made valid again states its first issue, which stays as well.
DO $$
DECLARE
    last text := '';
    moved text[];
BEGIN
    LOOP
        SELECT array_agg(number) INTO moved FROM (
            SELECT certificate_number AS number FROM "enrollment" WHERE certificate_number > last ORDER BY certificate_number LIMIT 1000
        ) AS part;
        EXIT WHEN moved IS NULL;
        INSERT INTO "certificate" (
            "school_id", "id", "created_at", "updated_at", "enrollment_id", "course_id", "person_id", "number", "completed_at", "issued_at",
            "holder_name", "course_title", "corrected_at", "revoked_at"
        )
        SELECT "enrollment"."school_id", "enrollment"."id", coalesce("certificate_issued_at", "completed_at", "enrollment"."updated_at"),
            "enrollment"."updated_at", "enrollment"."id", "course_id", "person_id", "certificate_number",
            coalesce(least("completed_at", "certificate_issued_at"), "enrollment"."updated_at"),
            coalesce("certificate_issued_at", "completed_at", "enrollment"."updated_at"),
            CASE WHEN "person"."erased_at" IS NULL THEN coalesce("certificate_holder_name", "person"."name") END,
            coalesce("certificate_course_title", "course"."title"), "certificate_corrected_at",
            CASE WHEN "completed_at" IS NULL THEN "enrollment"."updated_at" END
        FROM "enrollment"
        JOIN "course" ON "course"."school_id" = "enrollment"."school_id" AND "course"."id" = "enrollment"."course_id"
        JOIN "person" ON "person"."school_id" = "enrollment"."school_id" AND "person"."id" = "enrollment"."person_id"
        WHERE "certificate_number" = ANY (moved)
        ON CONFLICT DO NOTHING;
        SELECT max(number) INTO last FROM unnest(moved) AS number;
        COMMIT;
    END LOOP;
END $$;
