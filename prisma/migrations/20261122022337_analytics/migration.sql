-- CreateTable
CREATE TABLE "analytics_state" (
    "school_id" UUID NOT NULL,
    "time_zone" TEXT NOT NULL,
    "activity_through" TIMESTAMPTZ(3),
    "days_through" DATE,
    "closed_through" DATE,
    "as_of" TIMESTAMPTZ(3),
    "lecturers_digest" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "analytics_state_pkey" PRIMARY KEY ("school_id")
);

-- CreateTable
CREATE TABLE "analytics_dirty" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "analytics_dirty_pkey" PRIMARY KEY ("school_id","day")
);

-- CreateTable
CREATE TABLE "person_activity_day" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "course_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,

    CONSTRAINT "person_activity_day_pkey" PRIMARY KEY ("school_id","day","course_id","person_id")
);

-- CreateTable
CREATE TABLE "analytics_daily_active" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "daily_active" INTEGER NOT NULL DEFAULT 0,
    "weekly_active" INTEGER NOT NULL DEFAULT 0,
    "monthly_active" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_active_pkey" PRIMARY KEY ("school_id","subject_type","subject_id","day")
);

-- CreateTable
CREATE TABLE "analytics_daily_school" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "new_students" INTEGER NOT NULL DEFAULT 0,
    "new_members" INTEGER NOT NULL DEFAULT 0,
    "orders" INTEGER NOT NULL DEFAULT 0,
    "gross" BIGINT NOT NULL DEFAULT 0,
    "discounts" BIGINT NOT NULL DEFAULT 0,
    "tax" BIGINT NOT NULL DEFAULT 0,
    "refunds" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_school_pkey" PRIMARY KEY ("school_id","day")
);

-- CreateTable
CREATE TABLE "analytics_daily_product" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,
    "coupon_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "gross" BIGINT NOT NULL DEFAULT 0,
    "discounts" BIGINT NOT NULL DEFAULT 0,
    "tax" BIGINT NOT NULL DEFAULT 0,
    "refunds" BIGINT NOT NULL DEFAULT 0,
    "units" INTEGER NOT NULL DEFAULT 0,
    "orders" INTEGER NOT NULL DEFAULT 0,
    "type_orders" INTEGER NOT NULL DEFAULT 0,
    "product_orders" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_product_pkey" PRIMARY KEY ("school_id","day","product_type","product_id","coupon_id","source")
);

-- CreateTable
CREATE TABLE "analytics_daily_order" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "placed" INTEGER NOT NULL DEFAULT 0,
    "paid" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "expired" INTEGER NOT NULL DEFAULT 0,
    "refunded" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_order_pkey" PRIMARY KEY ("school_id","product_type","product_id","day","status")
);

-- CreateTable
CREATE TABLE "analytics_daily_course" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "course_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "enrolled" INTEGER NOT NULL DEFAULT 0,
    "canceled" INTEGER NOT NULL DEFAULT 0,
    "expired" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "started" INTEGER NOT NULL DEFAULT 0,
    "started_completed" INTEGER NOT NULL DEFAULT 0,
    "started_progress" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_course_pkey" PRIMARY KEY ("school_id","day","course_id","source")
);

-- CreateTable
CREATE TABLE "analytics_daily_pace" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "course_id" UUID NOT NULL,
    "days" INTEGER NOT NULL,
    "completions" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_pace_pkey" PRIMARY KEY ("school_id","day","course_id","days")
);

-- CreateTable
CREATE TABLE "analytics_daily_plan" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "plan_id" UUID NOT NULL,
    "started" INTEGER NOT NULL DEFAULT 0,
    "reactivated" INTEGER NOT NULL DEFAULT 0,
    "canceled" INTEGER NOT NULL DEFAULT 0,
    "ended" INTEGER NOT NULL DEFAULT 0,
    "trials_ended" INTEGER NOT NULL DEFAULT 0,
    "trials_converted" INTEGER NOT NULL DEFAULT 0,
    "active_change" INTEGER NOT NULL DEFAULT 0,
    "trialing_change" INTEGER NOT NULL DEFAULT 0,
    "mrr_change" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_plan_pkey" PRIMARY KEY ("school_id","day","plan_id")
);

-- CreateTable
CREATE TABLE "analytics_daily_coupon" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "coupon_id" UUID NOT NULL,
    "redemptions" INTEGER NOT NULL DEFAULT 0,
    "discount" BIGINT NOT NULL DEFAULT 0,
    "revenue" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_coupon_pkey" PRIMARY KEY ("school_id","day","coupon_id")
);

-- CreateTable
CREATE TABLE "analytics_daily_event" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "event_id" UUID NOT NULL,
    "published" INTEGER NOT NULL DEFAULT 0,
    "rsvps" INTEGER NOT NULL DEFAULT 0,
    "attended" INTEGER NOT NULL DEFAULT 0,
    "no_show" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_event_pkey" PRIMARY KEY ("school_id","day","event_id")
);

-- CreateTable
CREATE TABLE "analytics_lesson" (
    "school_id" UUID NOT NULL,
    "course_id" UUID NOT NULL,
    "lesson_id" UUID NOT NULL,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "median_seconds" INTEGER,

    CONSTRAINT "analytics_lesson_pkey" PRIMARY KEY ("school_id","course_id","lesson_id")
);

-- CreateTable
CREATE TABLE "analytics_retention" (
    "school_id" UUID NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "cohort" DATE NOT NULL,
    "month" DATE NOT NULL,
    "learners" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_retention_pkey" PRIMARY KEY ("school_id","subject_type","subject_id","cohort","month")
);

-- CreateIndex
CREATE INDEX "person_activity_day_school_id_person_id_day_idx" ON "person_activity_day"("school_id", "person_id", "day");

-- CreateIndex
CREATE INDEX "analytics_daily_product_school_id_product_type_product_id_d_idx" ON "analytics_daily_product"("school_id", "product_type", "product_id", "day");

-- CreateIndex
CREATE INDEX "analytics_daily_product_school_id_coupon_id_day_idx" ON "analytics_daily_product"("school_id", "coupon_id", "day");

-- CreateIndex
CREATE INDEX "analytics_daily_course_school_id_course_id_day_idx" ON "analytics_daily_course"("school_id", "course_id", "day");

-- Handwritten: see prisma/handwritten.txt

-- Figures are made of other rows: they go with their school.
ALTER TABLE "analytics_state" ADD CONSTRAINT "analytics_state_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_dirty" ADD CONSTRAINT "analytics_dirty_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "person_activity_day" ADD CONSTRAINT "person_activity_day_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_active" ADD CONSTRAINT "analytics_daily_active_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_school" ADD CONSTRAINT "analytics_daily_school_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_product" ADD CONSTRAINT "analytics_daily_product_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_order" ADD CONSTRAINT "analytics_daily_order_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_course" ADD CONSTRAINT "analytics_daily_course_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_pace" ADD CONSTRAINT "analytics_daily_pace_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_plan" ADD CONSTRAINT "analytics_daily_plan_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_coupon" ADD CONSTRAINT "analytics_daily_coupon_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_daily_event" ADD CONSTRAINT "analytics_daily_event_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_lesson" ADD CONSTRAINT "analytics_lesson_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "analytics_retention" ADD CONSTRAINT "analytics_retention_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- The rows of a day, by each of the times that figures are made of.
CREATE INDEX "person_created_at_day" ON "person" ("school_id", "created_at");
CREATE INDEX "enrollment_created_at_day" ON "enrollment" ("school_id", "created_at");
CREATE INDEX "enrollment_first_opened_at_day" ON "enrollment" ("school_id", "first_opened_at") WHERE "first_opened_at" IS NOT NULL;
CREATE INDEX "enrollment_completed_at_day" ON "enrollment" ("school_id", "completed_at") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "enrollment_canceled_at_day" ON "enrollment" ("school_id", "canceled_at") WHERE "canceled_at" IS NOT NULL;
CREATE INDEX "enrollment_expires_at_day" ON "enrollment" ("school_id", "expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "lesson_progress_updated_at_day" ON "lesson_progress" ("school_id", "updated_at");
CREATE INDEX "quiz_attempt_created_at_day" ON "quiz_attempt" ("school_id", "created_at");
CREATE INDEX "rsvp_created_at_day" ON "rsvp" ("school_id", "created_at");
CREATE INDEX "coupon_redemption_created_at_day" ON "coupon_redemption" ("school_id", "created_at");
CREATE INDEX "coupon_redemption_updated_at_day" ON "coupon_redemption" ("school_id", "updated_at");
CREATE INDEX "rsvp_updated_at_day" ON "rsvp" ("school_id", "updated_at");
