-- Works with releases from: 20261123150000_reported_forms
-- Locks: ROW EXCLUSIVE on comment, ROW EXCLUSIVE on coupon, ROW EXCLUSIVE on course, ROW EXCLUSIVE on digital_product, ROW EXCLUSIVE on enrollment, ROW EXCLUSIVE on event, ROW EXCLUSIVE on form, ROW EXCLUSIVE on lecturer, ROW EXCLUSIVE on membership_plan, ROW EXCLUSIVE on person, ROW EXCLUSIVE on post, ROW EXCLUSIVE on product_grant
-- Work: writes comment, writes coupon, writes course, writes digital_product, writes enrollment, writes event, writes form, writes lecturer, writes membership_plan, writes person, writes post, writes product_grant

-- Counts below zero become zero. The copy of a course had the enrolments of its original as its count: courses are counted again. The row of
-- the course is locked first, as an enrolment does, so that no enrolment is counted twice or missed.
DO $$
DECLARE
    wrong record;
BEGIN
    LOOP
        UPDATE "comment" SET "replies_count" = greatest(0, "replies_count"), "reactions_count" = greatest(0, "reactions_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "comment" WHERE "replies_count" < 0 OR "reactions_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "coupon" SET "redemptions_count" = greatest(0, "redemptions_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "coupon" WHERE "redemptions_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "course" SET "sections_count" = greatest(0, "sections_count"), "lessons_count" = greatest(0, "lessons_count"), "published_lessons_count" = greatest(0, "published_lessons_count"), "previews_count" = greatest(0, "previews_count"), "published_previews_count" = greatest(0, "published_previews_count"), "duration_minutes" = greatest(0, "duration_minutes"), "published_duration_minutes" = greatest(0, "published_duration_minutes"), "enrollments_count" = greatest(0, "enrollments_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "course" WHERE "sections_count" < 0 OR "lessons_count" < 0 OR "published_lessons_count" < 0 OR "previews_count" < 0 OR "published_previews_count" < 0 OR "duration_minutes" < 0 OR "published_duration_minutes" < 0 OR "enrollments_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "digital_product" SET "sales_count" = greatest(0, "sales_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "digital_product" WHERE "sales_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "enrollment" SET "completed_lessons_count" = greatest(0, "completed_lessons_count"), "progress_percent" = greatest(0, "progress_percent")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "enrollment" WHERE "completed_lessons_count" < 0 OR "progress_percent" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "event" SET "going_count" = greatest(0, "going_count"), "waitlisted_count" = greatest(0, "waitlisted_count"), "comments_count" = greatest(0, "comments_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "event" WHERE "going_count" < 0 OR "waitlisted_count" < 0 OR "comments_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "form" SET "submissions_count" = greatest(0, "submissions_count"), "unreported_count" = greatest(0, "unreported_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "form" WHERE "submissions_count" < 0 OR "unreported_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "lecturer" SET "students_count" = greatest(0, "students_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "lecturer" WHERE "students_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "membership_plan" SET "subscribers_count" = greatest(0, "subscribers_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "membership_plan" WHERE "subscribers_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "person" SET "enrollments_count" = greatest(0, "enrollments_count"), "active_enrollments_count" = greatest(0, "active_enrollments_count"), "completed_courses_count" = greatest(0, "completed_courses_count"), "comments_count" = greatest(0, "comments_count"), "rsvps_count" = greatest(0, "rsvps_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "person" WHERE "enrollments_count" < 0 OR "active_enrollments_count" < 0 OR "completed_courses_count" < 0 OR "comments_count" < 0 OR "rsvps_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "post" SET "comments_count" = greatest(0, "comments_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "post" WHERE "comments_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    LOOP
        UPDATE "product_grant" SET "downloads_count" = greatest(0, "downloads_count")
         WHERE ("school_id", "id") IN (SELECT "school_id", "id" FROM "product_grant" WHERE "downloads_count" < 0 LIMIT 1000);
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
    FOR wrong IN
        SELECT c."school_id", c."id" FROM "course" c
         WHERE c."enrollments_count" <> (
             SELECT count(*) FROM "enrollment" e
              WHERE e."school_id" = c."school_id" AND e."course_id" = c."id" AND e."status" IN ('active', 'completed', 'suspended'))
    LOOP
        PERFORM FROM "course" WHERE "school_id" = wrong."school_id" AND "id" = wrong."id" FOR UPDATE;
        UPDATE "course" SET "enrollments_count" = (
            SELECT count(*) FROM "enrollment" e
             WHERE e."school_id" = wrong."school_id" AND e."course_id" = wrong."id" AND e."status" IN ('active', 'completed', 'suspended'))
         WHERE "school_id" = wrong."school_id" AND "id" = wrong."id";
        COMMIT;
    END LOOP;
END $$;
