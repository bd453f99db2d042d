-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on comment, ACCESS EXCLUSIVE on coupon, ACCESS EXCLUSIVE on course, ACCESS EXCLUSIVE on digital_product, ACCESS EXCLUSIVE on enrollment, ACCESS EXCLUSIVE on event, ACCESS EXCLUSIVE on form, ACCESS EXCLUSIVE on lecturer, ACCESS EXCLUSIVE on membership_plan, ACCESS EXCLUSIVE on person, ACCESS EXCLUSIVE on post, ACCESS EXCLUSIVE on product_grant

ALTER TABLE "comment" ADD CONSTRAINT "comment_counters" CHECK ("replies_count" >= 0 AND "reactions_count" >= 0) NOT VALID;
ALTER TABLE "coupon" ADD CONSTRAINT "coupon_counters" CHECK ("redemptions_count" >= 0) NOT VALID;
ALTER TABLE "course" ADD CONSTRAINT "course_counters" CHECK ("sections_count" >= 0 AND "lessons_count" >= 0 AND "published_lessons_count" >= 0 AND "previews_count" >= 0 AND "published_previews_count" >= 0 AND "duration_minutes" >= 0 AND "published_duration_minutes" >= 0 AND "enrollments_count" >= 0) NOT VALID;
ALTER TABLE "digital_product" ADD CONSTRAINT "digital_product_counters" CHECK ("sales_count" >= 0) NOT VALID;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_counters" CHECK ("completed_lessons_count" >= 0 AND "progress_percent" >= 0) NOT VALID;
ALTER TABLE "event" ADD CONSTRAINT "event_counters" CHECK ("going_count" >= 0 AND "waitlisted_count" >= 0 AND "comments_count" >= 0) NOT VALID;
ALTER TABLE "form" ADD CONSTRAINT "form_counters" CHECK ("submissions_count" >= 0 AND "unreported_count" >= 0) NOT VALID;
ALTER TABLE "lecturer" ADD CONSTRAINT "lecturer_counters" CHECK ("students_count" >= 0) NOT VALID;
ALTER TABLE "membership_plan" ADD CONSTRAINT "membership_plan_counters" CHECK ("subscribers_count" >= 0) NOT VALID;
ALTER TABLE "person" ADD CONSTRAINT "person_counters" CHECK ("enrollments_count" >= 0 AND "active_enrollments_count" >= 0 AND "completed_courses_count" >= 0 AND "comments_count" >= 0 AND "rsvps_count" >= 0) NOT VALID;
ALTER TABLE "post" ADD CONSTRAINT "post_counters" CHECK ("comments_count" >= 0) NOT VALID;
ALTER TABLE "product_grant" ADD CONSTRAINT "product_grant_counters" CHECK ("downloads_count" >= 0) NOT VALID;
