-- AlterTable
ALTER TABLE "course" ADD COLUMN     "enrollments_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "lecturer" ADD COLUMN     "students_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "person" ADD COLUMN     "active_enrollments_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "avatar_alt" TEXT,
ADD COLUMN     "avatar_file_id" UUID,
ADD COLUMN     "bio" TEXT,
ADD COLUMN     "comments_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "completed_courses_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "country" TEXT,
ADD COLUMN     "custom_fields" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "directory_visible" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "display_name" TEXT,
ADD COLUMN     "enrollments_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "family_name" TEXT,
ADD COLUMN     "given_name" TEXT,
ADD COLUMN     "headline" TEXT,
ADD COLUMN     "invited_at" TIMESTAMPTZ(3),
ADD COLUMN     "joined_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_active_at" TIMESTAMPTZ(3),
ADD COLUMN     "lifetime_spend" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "links" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "locale" TEXT,
ADD COLUMN     "marketing_consent" JSONB,
ADD COLUMN     "member_note" TEXT,
ADD COLUMN     "member_status" TEXT NOT NULL DEFAULT 'active',
ADD COLUMN     "metadata" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "note" TEXT,
ADD COLUMN     "phone" TEXT,
ADD COLUMN     "rsvps_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "student_status" TEXT NOT NULL DEFAULT 'active',
ADD COLUMN     "tier" TEXT NOT NULL DEFAULT 'free',
ADD COLUMN     "time_zone" TEXT;

-- CreateTable
CREATE TABLE "person_tag" (
    "school_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "tag" TEXT NOT NULL,

    CONSTRAINT "person_tag_pkey" PRIMARY KEY ("school_id","person_id","kind","tag")
);

-- CreateTable
CREATE TABLE "enrollment" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "person_id" UUID NOT NULL,
    "course_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "status_before" TEXT,
    "source" TEXT NOT NULL,
    "order_id" UUID,
    "subscription_id" UUID,
    "coupon_id" UUID,
    "starts_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "progress_percent" INTEGER NOT NULL DEFAULT 0,
    "completed_lessons_count" INTEGER NOT NULL DEFAULT 0,
    "last_lesson_id" UUID,
    "first_opened_at" TIMESTAMPTZ(3),
    "last_activity_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "expired_at" TIMESTAMPTZ(3),
    "certificate_number" TEXT,
    "certificate_issued_at" TIMESTAMPTZ(3),
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "enrollment_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "lesson_progress" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enrollment_id" UUID NOT NULL,
    "lesson_id" UUID NOT NULL,
    "course_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'started',
    "position_seconds" INTEGER,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "lesson_progress_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "quiz_attempt" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enrollment_id" UUID NOT NULL,
    "lesson_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "attempt_no" INTEGER NOT NULL,
    "score_bps" INTEGER NOT NULL,
    "passed" BOOLEAN NOT NULL,
    "answers" JSONB NOT NULL,

    CONSTRAINT "quiz_attempt_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "entitlement" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "person_id" UUID NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,
    "source_type" TEXT NOT NULL,
    "source_id" UUID NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "entitlement_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "orders" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "number" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "kind" TEXT NOT NULL,
    "person_id" UUID,
    "buyer_name" TEXT NOT NULL,
    "buyer_email" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "subtotal_amount" BIGINT NOT NULL,
    "discount_amount" BIGINT NOT NULL DEFAULT 0,
    "tax_amount" BIGINT NOT NULL DEFAULT 0,
    "total_amount" BIGINT NOT NULL,
    "refunded_amount" BIGINT NOT NULL DEFAULT 0,
    "tax_mode" TEXT NOT NULL,
    "coupon_id" UUID,
    "coupon_code" TEXT,
    "subscription_id" UUID,
    "payment_provider" TEXT NOT NULL DEFAULT 'none',
    "payment_reference" TEXT,
    "payment" JSONB NOT NULL DEFAULT '{}',
    "billing_address" JSONB,
    "tax_id" TEXT,
    "attribution" JSONB,
    "receipt_number" TEXT,
    "placed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "paid_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "refunded_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "order_item" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "order_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,
    "price_id" UUID,
    "title" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL DEFAULT 1,
    "currency" TEXT NOT NULL,
    "unit_amount" BIGINT NOT NULL,
    "discount_amount" BIGINT NOT NULL DEFAULT 0,
    "tax_amount" BIGINT NOT NULL DEFAULT 0,
    "total_amount" BIGINT NOT NULL,
    "refunded_amount" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "order_item_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "refund" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "order_id" UUID NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "refund_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "order_counter" (
    "school_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "last_no" INTEGER NOT NULL,

    CONSTRAINT "order_counter_pkey" PRIMARY KEY ("school_id","year")
);

-- CreateTable
CREATE TABLE "event" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "description_format" TEXT NOT NULL DEFAULT 'markdown',
    "description_html" TEXT,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "cover_image_file_id" UUID,
    "cover_image_alt" TEXT,
    "location" JSONB,
    "join_url" TEXT,
    "recording_url" TEXT,
    "access" TEXT NOT NULL DEFAULT 'public',
    "course_id" UUID,
    "capacity" INTEGER,
    "waitlist_enabled" BOOLEAN NOT NULL DEFAULT true,
    "rsvp_opens_at" TIMESTAMPTZ(3),
    "rsvp_closes_at" TIMESTAMPTZ(3),
    "going_count" INTEGER NOT NULL DEFAULT 0,
    "waitlisted_count" INTEGER NOT NULL DEFAULT 0,
    "comments_count" INTEGER NOT NULL DEFAULT 0,
    "published_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "cancel_reason" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "event_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "event_host" (
    "school_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "lecturer_id" UUID NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "event_host_pkey" PRIMARY KEY ("school_id","event_id","lecturer_id")
);

-- CreateTable
CREATE TABLE "event_plan" (
    "school_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "plan_id" UUID NOT NULL,

    CONSTRAINT "event_plan_pkey" PRIMARY KEY ("school_id","event_id","plan_id")
);

-- CreateTable
CREATE TABLE "rsvp" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status_changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "note" TEXT,
    "guests" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "rsvp_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "membership_plan" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "description_format" TEXT NOT NULL DEFAULT 'markdown',
    "description_html" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "visibility" TEXT NOT NULL DEFAULT 'public',
    "benefits" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "includes_all_courses" BOOLEAN NOT NULL DEFAULT false,
    "includes_all_events" BOOLEAN NOT NULL DEFAULT false,
    "max_members" INTEGER,
    "subscribers_count" INTEGER NOT NULL DEFAULT 0,
    "position" INTEGER NOT NULL DEFAULT 0,
    "badge" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "membership_plan_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "plan_price" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "plan_id" UUID NOT NULL,
    "interval" TEXT NOT NULL,
    "interval_count" INTEGER NOT NULL DEFAULT 1,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "trial_days" INTEGER NOT NULL DEFAULT 0,
    "active" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "plan_price_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "plan_item" (
    "school_id" UUID NOT NULL,
    "plan_id" UUID NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,

    CONSTRAINT "plan_item_pkey" PRIMARY KEY ("school_id","plan_id","product_type","product_id")
);

-- CreateTable
CREATE TABLE "subscription" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "person_id" UUID NOT NULL,
    "plan_id" UUID NOT NULL,
    "price_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "collection" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "coupon_id" UUID,
    "discount_ends_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "trial_ends_at" TIMESTAMPTZ(3),
    "past_due_since" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "cancel_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "cancellation_reason" TEXT,
    "cancellation_comment" TEXT,
    "paused_at" TIMESTAMPTZ(3),
    "resumes_at" TIMESTAMPTZ(3),
    "pending_price_id" UUID,
    "pending_effective_at" TIMESTAMPTZ(3),
    "latest_order_id" UUID,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "coupon" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "code" TEXT NOT NULL,
    "name" TEXT,
    "discount_type" TEXT NOT NULL,
    "percent_bps" INTEGER,
    "amount_off" BIGINT,
    "currency" TEXT,
    "duration" TEXT NOT NULL DEFAULT 'once',
    "duration_months" INTEGER,
    "applies_to_all" BOOLEAN NOT NULL DEFAULT true,
    "audience" JSONB NOT NULL DEFAULT '{"all":true}',
    "minimum_amount" BIGINT,
    "first_purchase_only" BOOLEAN NOT NULL DEFAULT false,
    "max_redemptions" INTEGER,
    "max_redemptions_per_person" INTEGER NOT NULL DEFAULT 1,
    "redemptions_count" INTEGER NOT NULL DEFAULT 0,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "paused_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "batch_id" UUID,
    "note" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "coupon_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "coupon_item" (
    "school_id" UUID NOT NULL,
    "coupon_id" UUID NOT NULL,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,

    CONSTRAINT "coupon_item_pkey" PRIMARY KEY ("school_id","coupon_id","product_type","product_id")
);

-- CreateTable
CREATE TABLE "coupon_redemption" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "coupon_id" UUID NOT NULL,
    "person_id" UUID,
    "person_seq" INTEGER NOT NULL,
    "order_id" UUID,
    "product_type" TEXT NOT NULL,
    "product_id" UUID NOT NULL,
    "amount_off" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,

    CONSTRAINT "coupon_redemption_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "post" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'article',
    "status" TEXT NOT NULL DEFAULT 'draft',
    "visibility" TEXT NOT NULL DEFAULT 'public',
    "author_lecturer_id" UUID,
    "excerpt" TEXT,
    "cover_image_file_id" UUID,
    "cover_image_alt" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "pinned" BOOLEAN NOT NULL DEFAULT false,
    "comments_enabled" BOOLEAN NOT NULL DEFAULT true,
    "comments_count" INTEGER NOT NULL DEFAULT 0,
    "reading_minutes" INTEGER NOT NULL DEFAULT 0,
    "scheduled_for" TIMESTAMPTZ(3),
    "published_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "seo" JSONB NOT NULL DEFAULT '{}',
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "post_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "post_body" (
    "school_id" UUID NOT NULL,
    "post_id" UUID NOT NULL,
    "content" TEXT NOT NULL,
    "content_format" TEXT NOT NULL,
    "content_html" TEXT NOT NULL,

    CONSTRAINT "post_body_pkey" PRIMARY KEY ("school_id","post_id")
);

-- CreateTable
CREATE TABLE "post_plan" (
    "school_id" UUID NOT NULL,
    "post_id" UUID NOT NULL,
    "plan_id" UUID NOT NULL,

    CONSTRAINT "post_plan_pkey" PRIMARY KEY ("school_id","post_id","plan_id")
);

-- CreateTable
CREATE TABLE "comment" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "subject_type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "course_id" UUID,
    "person_id" UUID,
    "author_role" TEXT NOT NULL DEFAULT 'member',
    "parent_id" UUID,
    "body" TEXT,
    "body_html" TEXT,
    "status" TEXT NOT NULL DEFAULT 'published',
    "replies_count" INTEGER NOT NULL DEFAULT 0,
    "reactions_count" INTEGER NOT NULL DEFAULT 0,
    "edited_at" TIMESTAMPTZ(3),
    "moderation" JSONB,

    CONSTRAINT "comment_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "digital_product" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "subtitle" TEXT,
    "description" TEXT,
    "description_format" TEXT NOT NULL DEFAULT 'markdown',
    "description_html" TEXT,
    "cover_image_file_id" UUID,
    "cover_image_alt" TEXT,
    "category" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "access" TEXT NOT NULL DEFAULT 'paid',
    "price_amount" BIGINT,
    "price_currency" TEXT,
    "compare_at_amount" BIGINT,
    "compare_at_currency" TEXT,
    "preview_file_id" UUID,
    "license" TEXT,
    "download_limit" INTEGER,
    "updates_note" TEXT,
    "sales_count" INTEGER NOT NULL DEFAULT 0,
    "position" INTEGER NOT NULL DEFAULT 0,
    "published_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "seo" JSONB NOT NULL DEFAULT '{}',
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "digital_product_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "product_file" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "product_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "file_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "product_file_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "product_grant" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "product_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "order_id" UUID,
    "note" TEXT,
    "downloads_count" INTEGER NOT NULL DEFAULT 0,
    "granted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "product_grant_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "form" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "description" TEXT,
    "fields" JSONB NOT NULL DEFAULT '[]',
    "success_message" TEXT,
    "submit_label" TEXT,
    "opens_at" TIMESTAMPTZ(3),
    "closes_at" TIMESTAMPTZ(3),
    "submissions_count" INTEGER NOT NULL DEFAULT 0,
    "last_submission_at" TIMESTAMPTZ(3),

    CONSTRAINT "form_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "form_submission" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "form_id" UUID NOT NULL,
    "form_version" INTEGER NOT NULL,
    "answers" JSONB NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "person_id" UUID,
    "source_path" TEXT,
    "locale" TEXT,
    "spam" BOOLEAN NOT NULL DEFAULT false,
    "submitted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "form_submission_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateIndex
CREATE INDEX "person_tag_school_id_kind_tag_person_id_idx" ON "person_tag"("school_id", "kind", "tag", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "enrollment_certificate_number_key" ON "enrollment"("certificate_number");

-- CreateIndex
CREATE INDEX "enrollment_school_id_course_id_id_idx" ON "enrollment"("school_id", "course_id", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_course_id_status_id_idx" ON "enrollment"("school_id", "course_id", "status", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_course_id_updated_at_id_idx" ON "enrollment"("school_id", "course_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_person_id_id_idx" ON "enrollment"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_status_id_idx" ON "enrollment"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_source_id_idx" ON "enrollment"("school_id", "source", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_updated_at_id_idx" ON "enrollment"("school_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_order_id_idx" ON "enrollment"("school_id", "order_id");

-- CreateIndex
CREATE INDEX "enrollment_school_id_subscription_id_idx" ON "enrollment"("school_id", "subscription_id");

-- CreateIndex
CREATE INDEX "enrollment_status_expires_at_idx" ON "enrollment"("status", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "enrollment_school_id_course_id_person_id_key" ON "enrollment"("school_id", "course_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "enrollment_school_id_external_id_key" ON "enrollment"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "lesson_progress_school_id_lesson_id_updated_at_id_idx" ON "lesson_progress"("school_id", "lesson_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "lesson_progress_school_id_course_id_updated_at_id_idx" ON "lesson_progress"("school_id", "course_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "lesson_progress_school_id_person_id_updated_at_id_idx" ON "lesson_progress"("school_id", "person_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "lesson_progress_school_id_enrollment_id_lesson_id_key" ON "lesson_progress"("school_id", "enrollment_id", "lesson_id");

-- CreateIndex
CREATE INDEX "quiz_attempt_school_id_lesson_id_idx" ON "quiz_attempt"("school_id", "lesson_id");

-- CreateIndex
CREATE INDEX "quiz_attempt_school_id_person_id_idx" ON "quiz_attempt"("school_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "quiz_attempt_school_id_enrollment_id_lesson_id_attempt_no_key" ON "quiz_attempt"("school_id", "enrollment_id", "lesson_id", "attempt_no");

-- CreateIndex
CREATE INDEX "entitlement_school_id_source_type_source_id_idx" ON "entitlement"("school_id", "source_type", "source_id");

-- CreateIndex
CREATE UNIQUE INDEX "entitlement_school_id_person_id_product_type_product_id_sou_key" ON "entitlement"("school_id", "person_id", "product_type", "product_id", "source_type", "source_id");

-- CreateIndex
CREATE INDEX "orders_school_id_status_id_idx" ON "orders"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_person_id_id_idx" ON "orders"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_coupon_id_id_idx" ON "orders"("school_id", "coupon_id", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_subscription_id_id_idx" ON "orders"("school_id", "subscription_id", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_updated_at_id_idx" ON "orders"("school_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_total_amount_id_idx" ON "orders"("school_id", "total_amount", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_buyer_email_id_idx" ON "orders"("school_id", "buyer_email", "id");

-- CreateIndex
CREATE INDEX "orders_school_id_placed_at_idx" ON "orders"("school_id", "placed_at");

-- CreateIndex
CREATE INDEX "orders_status_expires_at_idx" ON "orders"("status", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "orders_school_id_number_key" ON "orders"("school_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "orders_school_id_payment_provider_payment_reference_key" ON "orders"("school_id", "payment_provider", "payment_reference");

-- CreateIndex
CREATE INDEX "order_item_school_id_product_type_product_id_order_id_idx" ON "order_item"("school_id", "product_type", "product_id", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "order_item_school_id_order_id_position_key" ON "order_item"("school_id", "order_id", "position");

-- CreateIndex
CREATE INDEX "refund_school_id_order_id_id_idx" ON "refund"("school_id", "order_id", "id");

-- CreateIndex
CREATE INDEX "refund_school_id_created_at_idx" ON "refund"("school_id", "created_at");

-- CreateIndex
CREATE INDEX "event_school_id_starts_at_id_idx" ON "event"("school_id", "starts_at", "id");

-- CreateIndex
CREATE INDEX "event_school_id_status_starts_at_id_idx" ON "event"("school_id", "status", "starts_at", "id");

-- CreateIndex
CREATE INDEX "event_school_id_course_id_starts_at_id_idx" ON "event"("school_id", "course_id", "starts_at", "id");

-- CreateIndex
CREATE INDEX "event_school_id_updated_at_id_idx" ON "event"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "event_school_id_slug_key" ON "event"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "event_school_id_external_id_key" ON "event"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "event_host_school_id_lecturer_id_event_id_idx" ON "event_host"("school_id", "lecturer_id", "event_id");

-- CreateIndex
CREATE INDEX "event_plan_school_id_plan_id_event_id_idx" ON "event_plan"("school_id", "plan_id", "event_id");

-- CreateIndex
CREATE INDEX "rsvp_school_id_event_id_queued_at_id_idx" ON "rsvp"("school_id", "event_id", "queued_at", "id");

-- CreateIndex
CREATE INDEX "rsvp_school_id_event_id_status_queued_at_id_idx" ON "rsvp"("school_id", "event_id", "status", "queued_at", "id");

-- CreateIndex
CREATE INDEX "rsvp_school_id_event_id_updated_at_id_idx" ON "rsvp"("school_id", "event_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "rsvp_school_id_person_id_id_idx" ON "rsvp"("school_id", "person_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "rsvp_school_id_event_id_person_id_key" ON "rsvp"("school_id", "event_id", "person_id");

-- CreateIndex
CREATE INDEX "membership_plan_school_id_position_id_idx" ON "membership_plan"("school_id", "position", "id");

-- CreateIndex
CREATE INDEX "membership_plan_school_id_status_position_id_idx" ON "membership_plan"("school_id", "status", "position", "id");

-- CreateIndex
CREATE INDEX "membership_plan_school_id_name_id_idx" ON "membership_plan"("school_id", "name", "id");

-- CreateIndex
CREATE INDEX "membership_plan_school_id_updated_at_id_idx" ON "membership_plan"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "membership_plan_school_id_slug_key" ON "membership_plan"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "membership_plan_school_id_external_id_key" ON "membership_plan"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "plan_price_school_id_plan_id_id_idx" ON "plan_price"("school_id", "plan_id", "id");

-- CreateIndex
CREATE INDEX "plan_item_school_id_product_type_product_id_plan_id_idx" ON "plan_item"("school_id", "product_type", "product_id", "plan_id");

-- CreateIndex
CREATE INDEX "subscription_school_id_status_id_idx" ON "subscription"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "subscription_school_id_plan_id_id_idx" ON "subscription"("school_id", "plan_id", "id");

-- CreateIndex
CREATE INDEX "subscription_school_id_plan_id_status_id_idx" ON "subscription"("school_id", "plan_id", "status", "id");

-- CreateIndex
CREATE INDEX "subscription_school_id_person_id_id_idx" ON "subscription"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "subscription_school_id_updated_at_id_idx" ON "subscription"("school_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "subscription_status_current_period_end_idx" ON "subscription"("status", "current_period_end");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_school_id_external_id_key" ON "subscription"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "coupon_school_id_batch_id_id_idx" ON "coupon"("school_id", "batch_id", "id");

-- CreateIndex
CREATE INDEX "coupon_school_id_updated_at_id_idx" ON "coupon"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "coupon_school_id_code_key" ON "coupon"("school_id", "code");

-- CreateIndex
CREATE UNIQUE INDEX "coupon_school_id_external_id_key" ON "coupon"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "coupon_item_school_id_product_type_product_id_coupon_id_idx" ON "coupon_item"("school_id", "product_type", "product_id", "coupon_id");

-- CreateIndex
CREATE INDEX "coupon_redemption_school_id_coupon_id_id_idx" ON "coupon_redemption"("school_id", "coupon_id", "id");

-- CreateIndex
CREATE INDEX "coupon_redemption_school_id_person_id_id_idx" ON "coupon_redemption"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "coupon_redemption_school_id_status_id_idx" ON "coupon_redemption"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "coupon_redemption_school_id_order_id_idx" ON "coupon_redemption"("school_id", "order_id");

-- CreateIndex
CREATE INDEX "coupon_redemption_status_created_at_idx" ON "coupon_redemption"("status", "created_at");

-- CreateIndex
CREATE INDEX "post_school_id_title_id_idx" ON "post"("school_id", "title", "id");

-- CreateIndex
CREATE INDEX "post_school_id_author_lecturer_id_id_idx" ON "post"("school_id", "author_lecturer_id", "id");

-- CreateIndex
CREATE INDEX "post_school_id_updated_at_id_idx" ON "post"("school_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "post_status_scheduled_for_idx" ON "post"("status", "scheduled_for");

-- CreateIndex
CREATE UNIQUE INDEX "post_school_id_slug_key" ON "post"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "post_school_id_external_id_key" ON "post"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "post_plan_school_id_plan_id_post_id_idx" ON "post_plan"("school_id", "plan_id", "post_id");

-- CreateIndex
CREATE INDEX "comment_school_id_subject_type_subject_id_id_idx" ON "comment"("school_id", "subject_type", "subject_id", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_subject_type_subject_id_status_id_idx" ON "comment"("school_id", "subject_type", "subject_id", "status", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_course_id_id_idx" ON "comment"("school_id", "course_id", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_person_id_id_idx" ON "comment"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_parent_id_id_idx" ON "comment"("school_id", "parent_id", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_status_id_idx" ON "comment"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "comment_school_id_updated_at_id_idx" ON "comment"("school_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "digital_product_school_id_position_id_idx" ON "digital_product"("school_id", "position", "id");

-- CreateIndex
CREATE INDEX "digital_product_school_id_status_position_id_idx" ON "digital_product"("school_id", "status", "position", "id");

-- CreateIndex
CREATE INDEX "digital_product_school_id_title_id_idx" ON "digital_product"("school_id", "title", "id");

-- CreateIndex
CREATE INDEX "digital_product_school_id_updated_at_id_idx" ON "digital_product"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "digital_product_school_id_slug_key" ON "digital_product"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "digital_product_school_id_external_id_key" ON "digital_product"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "product_file_school_id_product_id_position_idx" ON "product_file"("school_id", "product_id", "position");

-- CreateIndex
CREATE INDEX "product_file_school_id_file_id_idx" ON "product_file"("school_id", "file_id");

-- CreateIndex
CREATE INDEX "product_grant_school_id_product_id_id_idx" ON "product_grant"("school_id", "product_id", "id");

-- CreateIndex
CREATE INDEX "product_grant_school_id_person_id_id_idx" ON "product_grant"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "product_grant_school_id_order_id_idx" ON "product_grant"("school_id", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "product_grant_school_id_product_id_person_id_key" ON "product_grant"("school_id", "product_id", "person_id");

-- CreateIndex
CREATE INDEX "form_school_id_status_id_idx" ON "form"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "form_school_id_title_id_idx" ON "form"("school_id", "title", "id");

-- CreateIndex
CREATE INDEX "form_school_id_updated_at_id_idx" ON "form"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "form_school_id_slug_key" ON "form"("school_id", "slug");

-- CreateIndex
CREATE INDEX "form_submission_school_id_form_id_id_idx" ON "form_submission"("school_id", "form_id", "id");

-- CreateIndex
CREATE INDEX "form_submission_school_id_email_id_idx" ON "form_submission"("school_id", "email", "id");

-- CreateIndex
CREATE INDEX "form_submission_school_id_person_id_id_idx" ON "form_submission"("school_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "form_submission_school_id_spam_id_idx" ON "form_submission"("school_id", "spam", "id");

-- CreateIndex
CREATE INDEX "form_submission_school_id_submitted_at_idx" ON "form_submission"("school_id", "submitted_at");

-- CreateIndex
CREATE INDEX "person_school_id_is_student_id_idx" ON "person"("school_id", "is_student", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_student_student_status_id_idx" ON "person"("school_id", "is_student", "student_status", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_student_updated_at_id_idx" ON "person"("school_id", "is_student", "updated_at", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_student_name_id_idx" ON "person"("school_id", "is_student", "name", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_member_id_idx" ON "person"("school_id", "is_member", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_member_member_status_id_idx" ON "person"("school_id", "is_member", "member_status", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_member_tier_id_idx" ON "person"("school_id", "is_member", "tier", "id");

-- CreateIndex
CREATE INDEX "person_school_id_is_member_updated_at_id_idx" ON "person"("school_id", "is_member", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "person_school_id_external_id_key" ON "person"("school_id", "external_id");

-- Handwritten: see prisma/handwritten.txt

-- What a thing is made of goes with it. People and money stay: whoever removes them says what becomes of the rest.
ALTER TABLE "person" ADD CONSTRAINT "person_avatar_file_id_fkey" FOREIGN KEY ("school_id", "avatar_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("avatar_file_id") ON UPDATE RESTRICT;
ALTER TABLE "person_tag" ADD CONSTRAINT "person_tag_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_order_id_fkey" FOREIGN KEY ("school_id", "order_id") REFERENCES "orders" ("school_id", "id") ON DELETE SET NULL ("order_id") ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_subscription_id_fkey" FOREIGN KEY ("school_id", "subscription_id") REFERENCES "subscription" ("school_id", "id") ON DELETE SET NULL ("subscription_id") ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_coupon_id_fkey" FOREIGN KEY ("school_id", "coupon_id") REFERENCES "coupon" ("school_id", "id") ON DELETE SET NULL ("coupon_id") ON UPDATE RESTRICT;
ALTER TABLE "enrollment" ADD CONSTRAINT "enrollment_last_lesson_id_fkey" FOREIGN KEY ("school_id", "last_lesson_id") REFERENCES "lesson" ("school_id", "id") ON DELETE SET NULL ("last_lesson_id") ON UPDATE RESTRICT;
ALTER TABLE "lesson_progress" ADD CONSTRAINT "lesson_progress_enrollment_id_fkey" FOREIGN KEY ("school_id", "enrollment_id") REFERENCES "enrollment" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "lesson_progress" ADD CONSTRAINT "lesson_progress_lesson_id_fkey" FOREIGN KEY ("school_id", "lesson_id") REFERENCES "lesson" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "lesson_progress" ADD CONSTRAINT "lesson_progress_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lesson_progress" ADD CONSTRAINT "lesson_progress_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "quiz_attempt" ADD CONSTRAINT "quiz_attempt_enrollment_id_fkey" FOREIGN KEY ("school_id", "enrollment_id") REFERENCES "enrollment" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "quiz_attempt" ADD CONSTRAINT "quiz_attempt_lesson_id_fkey" FOREIGN KEY ("school_id", "lesson_id") REFERENCES "lesson" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "quiz_attempt" ADD CONSTRAINT "quiz_attempt_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "entitlement" ADD CONSTRAINT "entitlement_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "orders" ADD CONSTRAINT "orders_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_id_fkey" FOREIGN KEY ("school_id", "coupon_id") REFERENCES "coupon" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "orders" ADD CONSTRAINT "orders_subscription_id_fkey" FOREIGN KEY ("school_id", "subscription_id") REFERENCES "subscription" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "order_item" ADD CONSTRAINT "order_item_order_id_fkey" FOREIGN KEY ("school_id", "order_id") REFERENCES "orders" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "refund" ADD CONSTRAINT "refund_order_id_fkey" FOREIGN KEY ("school_id", "order_id") REFERENCES "orders" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "order_counter" ADD CONSTRAINT "order_counter_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "event" ADD CONSTRAINT "event_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "event" ADD CONSTRAINT "event_cover_image_file_id_fkey" FOREIGN KEY ("school_id", "cover_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_image_file_id") ON UPDATE RESTRICT;
ALTER TABLE "event_host" ADD CONSTRAINT "event_host_event_id_fkey" FOREIGN KEY ("school_id", "event_id") REFERENCES "event" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "event_host" ADD CONSTRAINT "event_host_lecturer_id_fkey" FOREIGN KEY ("school_id", "lecturer_id") REFERENCES "lecturer" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "event_plan" ADD CONSTRAINT "event_plan_event_id_fkey" FOREIGN KEY ("school_id", "event_id") REFERENCES "event" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "event_plan" ADD CONSTRAINT "event_plan_plan_id_fkey" FOREIGN KEY ("school_id", "plan_id") REFERENCES "membership_plan" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "rsvp" ADD CONSTRAINT "rsvp_event_id_fkey" FOREIGN KEY ("school_id", "event_id") REFERENCES "event" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "rsvp" ADD CONSTRAINT "rsvp_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "membership_plan" ADD CONSTRAINT "membership_plan_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "plan_price" ADD CONSTRAINT "plan_price_plan_id_fkey" FOREIGN KEY ("school_id", "plan_id") REFERENCES "membership_plan" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "plan_item" ADD CONSTRAINT "plan_item_plan_id_fkey" FOREIGN KEY ("school_id", "plan_id") REFERENCES "membership_plan" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_plan_id_fkey" FOREIGN KEY ("school_id", "plan_id") REFERENCES "membership_plan" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_price_id_fkey" FOREIGN KEY ("school_id", "price_id") REFERENCES "plan_price" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_pending_price_id_fkey" FOREIGN KEY ("school_id", "pending_price_id") REFERENCES "plan_price" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_coupon_id_fkey" FOREIGN KEY ("school_id", "coupon_id") REFERENCES "coupon" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_latest_order_id_fkey" FOREIGN KEY ("school_id", "latest_order_id") REFERENCES "orders" ("school_id", "id") ON DELETE SET NULL ("latest_order_id") ON UPDATE RESTRICT;
ALTER TABLE "coupon" ADD CONSTRAINT "coupon_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "coupon_item" ADD CONSTRAINT "coupon_item_coupon_id_fkey" FOREIGN KEY ("school_id", "coupon_id") REFERENCES "coupon" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "coupon_redemption" ADD CONSTRAINT "coupon_redemption_coupon_id_fkey" FOREIGN KEY ("school_id", "coupon_id") REFERENCES "coupon" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "coupon_redemption" ADD CONSTRAINT "coupon_redemption_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "coupon_redemption" ADD CONSTRAINT "coupon_redemption_order_id_fkey" FOREIGN KEY ("school_id", "order_id") REFERENCES "orders" ("school_id", "id") ON DELETE SET NULL ("order_id") ON UPDATE RESTRICT;
ALTER TABLE "post" ADD CONSTRAINT "post_author_lecturer_id_fkey" FOREIGN KEY ("school_id", "author_lecturer_id") REFERENCES "lecturer" ("school_id", "id") ON DELETE SET NULL ("author_lecturer_id") ON UPDATE RESTRICT;
ALTER TABLE "post" ADD CONSTRAINT "post_cover_image_file_id_fkey" FOREIGN KEY ("school_id", "cover_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_image_file_id") ON UPDATE RESTRICT;
ALTER TABLE "post_body" ADD CONSTRAINT "post_body_post_id_fkey" FOREIGN KEY ("school_id", "post_id") REFERENCES "post" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "post_plan" ADD CONSTRAINT "post_plan_post_id_fkey" FOREIGN KEY ("school_id", "post_id") REFERENCES "post" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "post_plan" ADD CONSTRAINT "post_plan_plan_id_fkey" FOREIGN KEY ("school_id", "plan_id") REFERENCES "membership_plan" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "comment" ADD CONSTRAINT "comment_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "comment" ADD CONSTRAINT "comment_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "comment" ADD CONSTRAINT "comment_parent_id_fkey" FOREIGN KEY ("school_id", "parent_id") REFERENCES "comment" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "digital_product" ADD CONSTRAINT "digital_product_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "digital_product" ADD CONSTRAINT "digital_product_cover_image_file_id_fkey" FOREIGN KEY ("school_id", "cover_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_image_file_id") ON UPDATE RESTRICT;
ALTER TABLE "digital_product" ADD CONSTRAINT "digital_product_preview_file_id_fkey" FOREIGN KEY ("school_id", "preview_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("preview_file_id") ON UPDATE RESTRICT;
ALTER TABLE "product_file" ADD CONSTRAINT "product_file_product_id_fkey" FOREIGN KEY ("school_id", "product_id") REFERENCES "digital_product" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
ALTER TABLE "product_file" ADD CONSTRAINT "product_file_file_id_fkey" FOREIGN KEY ("school_id", "file_id") REFERENCES "file" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "product_grant" ADD CONSTRAINT "product_grant_product_id_fkey" FOREIGN KEY ("school_id", "product_id") REFERENCES "digital_product" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "product_grant" ADD CONSTRAINT "product_grant_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "product_grant" ADD CONSTRAINT "product_grant_order_id_fkey" FOREIGN KEY ("school_id", "order_id") REFERENCES "orders" ("school_id", "id") ON DELETE SET NULL ("order_id") ON UPDATE RESTRICT;
ALTER TABLE "form" ADD CONSTRAINT "form_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "post" ADD CONSTRAINT "post_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "event" ADD CONSTRAINT "event_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "orders" ADD CONSTRAINT "orders_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "comment" ADD CONSTRAINT "comment_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "form_submission" ADD CONSTRAINT "form_submission_form_id_fkey" FOREIGN KEY ("school_id", "form_id") REFERENCES "form" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "form_submission" ADD CONSTRAINT "form_submission_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_event_id_fkey" FOREIGN KEY ("school_id", "event_id") REFERENCES "event" ("school_id", "id") ON DELETE SET NULL ("event_id") ON UPDATE RESTRICT;

-- Where the row that is named may go, the naming ones are found.
CREATE INDEX "person_avatar_file_id_idx" ON "person" ("school_id", "avatar_file_id") WHERE "avatar_file_id" IS NOT NULL;
CREATE INDEX "event_cover_image_file_id_idx" ON "event" ("school_id", "cover_image_file_id") WHERE "cover_image_file_id" IS NOT NULL;
CREATE INDEX "post_cover_image_file_id_idx" ON "post" ("school_id", "cover_image_file_id") WHERE "cover_image_file_id" IS NOT NULL;
CREATE INDEX "digital_product_cover_image_file_id_idx" ON "digital_product" ("school_id", "cover_image_file_id") WHERE "cover_image_file_id" IS NOT NULL;
CREATE INDEX "digital_product_preview_file_id_idx" ON "digital_product" ("school_id", "preview_file_id") WHERE "preview_file_id" IS NOT NULL;
CREATE INDEX "enrollment_last_lesson_id_idx" ON "enrollment" ("school_id", "last_lesson_id") WHERE "last_lesson_id" IS NOT NULL;
CREATE INDEX "enrollment_coupon_id_idx" ON "enrollment" ("school_id", "coupon_id") WHERE "coupon_id" IS NOT NULL;
CREATE INDEX "lesson_event_id_idx" ON "lesson" ("school_id", "event_id") WHERE "event_id" IS NOT NULL;
CREATE INDEX "subscription_latest_order_id_idx" ON "subscription" ("school_id", "latest_order_id") WHERE "latest_order_id" IS NOT NULL;
CREATE INDEX "subscription_coupon_id_idx" ON "subscription" ("school_id", "coupon_id") WHERE "coupon_id" IS NOT NULL;

-- A person has a plan once at a time, and a coupon once in each place of their own.
CREATE UNIQUE INDEX "subscription_running" ON "subscription" ("school_id", "person_id", "plan_id") WHERE "status" NOT IN ('canceled', 'expired');
CREATE UNIQUE INDEX "coupon_redemption_person" ON "coupon_redemption" ("school_id", "coupon_id", "person_id", "person_seq") WHERE "status" <> 'released';
ALTER TABLE "product_file" ADD CONSTRAINT "product_file_position_key" UNIQUE ("school_id", "product_id", "position") DEFERRABLE INITIALLY IMMEDIATE;

-- Orders by a time that may be missing: what has none stands before all times.
CREATE INDEX "person_last_active_at_order" ON "person" ("school_id", "is_student", (coalesce("last_active_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "person_joined_at_order" ON "person" ("school_id", "is_member", (coalesce("joined_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "enrollment_last_activity_at_order" ON "enrollment" ("school_id", (coalesce("last_activity_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "orders_paid_at_order" ON "orders" ("school_id", (coalesce("paid_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "subscription_current_period_end_order" ON "subscription" ("school_id", (coalesce("current_period_end", '-infinity'::timestamptz)), "id");
CREATE INDEX "coupon_ends_at_order" ON "coupon" ("school_id", (coalesce("ends_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "post_published_at_order" ON "post" ("school_id", (coalesce("published_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "post_status_published_at_order" ON "post" ("school_id", "status", (coalesce("published_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "person_display_name_order" ON "person" ("school_id", "is_member", (coalesce("display_name", "name")), "id");

-- What a search looks in.
CREATE INDEX "person_search" ON "person" USING gin ("name" gin_trgm_ops, "display_name" gin_trgm_ops, "email" gin_trgm_ops);
CREATE INDEX "orders_search" ON "orders" USING gin ("number" gin_trgm_ops, "buyer_email" gin_trgm_ops);
CREATE INDEX "event_search" ON "event" USING gin ("title" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "membership_plan_search" ON "membership_plan" USING gin ("name" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "coupon_search" ON "coupon" USING gin ("code" gin_trgm_ops, "name" gin_trgm_ops);
CREATE INDEX "post_search" ON "post" USING gin ("title" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "digital_product_search" ON "digital_product" USING gin ("title" gin_trgm_ops, "subtitle" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "comment_search" ON "comment" USING gin ("body" gin_trgm_ops);
CREATE INDEX "form_search" ON "form" USING gin ("title" gin_trgm_ops, "slug" gin_trgm_ops);
