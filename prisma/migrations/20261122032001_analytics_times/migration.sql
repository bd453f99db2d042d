-- Handwritten: see prisma/handwritten.txt

-- Indexes that serve figures alone: a list that is ordered by id must not be read by one of them, so a query has to say the condition.
DROP INDEX "person_created_at_day";
CREATE INDEX "person_created_at_day" ON "person" ("school_id", "created_at") WHERE "created_at" > '-infinity'::timestamptz;
DROP INDEX "enrollment_created_at_day";
CREATE INDEX "enrollment_created_at_day" ON "enrollment" ("school_id", "created_at") WHERE "created_at" > '-infinity'::timestamptz;
DROP INDEX "lesson_progress_updated_at_day";
CREATE INDEX "lesson_progress_updated_at_day" ON "lesson_progress" ("school_id", "updated_at") WHERE "updated_at" > '-infinity'::timestamptz;
DROP INDEX "quiz_attempt_created_at_day";
CREATE INDEX "quiz_attempt_created_at_day" ON "quiz_attempt" ("school_id", "created_at") WHERE "created_at" > '-infinity'::timestamptz;
DROP INDEX "rsvp_created_at_day";
CREATE INDEX "rsvp_created_at_day" ON "rsvp" ("school_id", "created_at") WHERE "created_at" > '-infinity'::timestamptz;
DROP INDEX "rsvp_updated_at_day";
CREATE INDEX "rsvp_updated_at_day" ON "rsvp" ("school_id", "updated_at") WHERE "updated_at" > '-infinity'::timestamptz;
DROP INDEX "coupon_redemption_created_at_day";
CREATE INDEX "coupon_redemption_created_at_day" ON "coupon_redemption" ("school_id", "created_at") WHERE "created_at" > '-infinity'::timestamptz;
DROP INDEX "coupon_redemption_updated_at_day";
CREATE INDEX "coupon_redemption_updated_at_day" ON "coupon_redemption" ("school_id", "updated_at") WHERE "updated_at" > '-infinity'::timestamptz;
