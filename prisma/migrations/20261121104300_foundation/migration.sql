-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "school" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "name" TEXT NOT NULL,
    "tagline" TEXT,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "locale" TEXT NOT NULL,
    "supported_locales" TEXT[],
    "time_zone" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "contact_email" TEXT,
    "support_url" TEXT,
    "registration" TEXT NOT NULL DEFAULT 'open',
    "settings" JSONB NOT NULL DEFAULT '{}',
    "features" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "school_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "pending_email" TEXT,
    "name" TEXT NOT NULL,
    "given_name" TEXT,
    "family_name" TEXT,
    "picture" TEXT,
    "locale" TEXT,
    "time_zone" TEXT,
    "preferences" JSONB NOT NULL DEFAULT '{}',
    "password_hash" TEXT,
    "last_sign_in_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "deletion_scheduled_at" TIMESTAMPTZ(3),
    "sessions_valid_after" TIMESTAMPTZ(3),

    CONSTRAINT "account_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "mailed_link" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "account_id" UUID,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "mailed_link_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "person" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "account_id" UUID,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_student" BOOLEAN NOT NULL DEFAULT false,
    "is_member" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "person_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "staff" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "person_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "lecturer_id" UUID,
    "status" TEXT NOT NULL DEFAULT 'active',
    "invited_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "lecturer" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "headline" TEXT,
    "bio" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "featured" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "lecturer_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "course" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "subtitle" TEXT,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "visibility" TEXT NOT NULL DEFAULT 'public',
    "level" TEXT NOT NULL DEFAULT 'all',
    "language" TEXT NOT NULL,
    "category" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "trailer_url" TEXT,
    "access" TEXT NOT NULL DEFAULT 'free',
    "price_amount" BIGINT,
    "price_currency" TEXT,
    "compare_at_amount" BIGINT,
    "compare_at_currency" TEXT,
    "enrollment_open" BOOLEAN NOT NULL DEFAULT true,
    "enrollment_starts_at" TIMESTAMPTZ(3),
    "enrollment_ends_at" TIMESTAMPTZ(3),
    "capacity" INTEGER,
    "access_duration_days" INTEGER,
    "completion_threshold_percent" INTEGER NOT NULL DEFAULT 100,
    "certificate_enabled" BOOLEAN NOT NULL DEFAULT false,
    "certificate_template" TEXT NOT NULL DEFAULT 'classic',
    "position" INTEGER NOT NULL DEFAULT 0,
    "lessons_count" INTEGER NOT NULL DEFAULT 0,
    "duration_minutes" INTEGER NOT NULL DEFAULT 0,
    "published_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "seo" JSONB NOT NULL DEFAULT '{}',
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "course_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "course_lecturer" (
    "school_id" UUID NOT NULL,
    "course_id" UUID NOT NULL,
    "lecturer_id" UUID NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "course_lecturer_pkey" PRIMARY KEY ("school_id","course_id","lecturer_id")
);

-- CreateTable
CREATE TABLE "oidc_client" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "registered_via" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "oidc_client_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "oidc_grant" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "account_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oidc_grant_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "oidc_artifact" (
    "school_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "grant_id" TEXT,
    "client_id" TEXT,
    "account_id" UUID,
    "uid" TEXT,
    "payload" TEXT NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "successor" TEXT,
    "successor_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_artifact_pkey" PRIMARY KEY ("school_id","model","id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "school_id" UUID NOT NULL,
    "kid" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "private_jwk" TEXT NOT NULL,
    "active_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("school_id","kid")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" TEXT NOT NULL,
    "account_id" TEXT,
    "client_id" TEXT,
    "grant_id" TEXT,
    "request_id" TEXT,
    "address" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "headers" JSONB NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "change_log" (
    "school_id" UUID NOT NULL,
    "transaction" BIGINT NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "change_log_pkey" PRIMARY KEY ("school_id","transaction","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "school_slug_key" ON "school"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "account_school_id_email_key" ON "account"("school_id", "email");

-- CreateIndex
CREATE INDEX "mailed_link_school_id_account_id_idx" ON "mailed_link"("school_id", "account_id");

-- CreateIndex
CREATE INDEX "mailed_link_expires_at_idx" ON "mailed_link"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "person_school_id_email_key" ON "person"("school_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "person_school_id_account_id_key" ON "person"("school_id", "account_id");

-- CreateIndex
CREATE UNIQUE INDEX "staff_school_id_person_id_key" ON "staff"("school_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "lecturer_school_id_slug_key" ON "lecturer"("school_id", "slug");

-- CreateIndex
CREATE INDEX "course_school_id_status_position_id_idx" ON "course"("school_id", "status", "position", "id");

-- CreateIndex
CREATE INDEX "course_school_id_status_title_id_idx" ON "course"("school_id", "status", "title", "id");

-- CreateIndex
CREATE INDEX "course_school_id_updated_at_id_idx" ON "course"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "course_school_id_slug_key" ON "course"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "course_school_id_external_id_key" ON "course"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "course_lecturer_school_id_lecturer_id_course_id_idx" ON "course_lecturer"("school_id", "lecturer_id", "course_id");

-- CreateIndex
CREATE INDEX "oidc_client_school_id_registered_via_created_at_idx" ON "oidc_client"("school_id", "registered_via", "created_at");

-- CreateIndex
CREATE INDEX "oidc_grant_school_id_account_id_client_id_idx" ON "oidc_grant"("school_id", "account_id", "client_id");

-- CreateIndex
CREATE INDEX "oidc_grant_school_id_client_id_idx" ON "oidc_grant"("school_id", "client_id");

-- CreateIndex
CREATE INDEX "oidc_grant_expires_at_idx" ON "oidc_grant"("expires_at");

-- CreateIndex
CREATE INDEX "oidc_artifact_school_id_grant_id_idx" ON "oidc_artifact"("school_id", "grant_id");

-- CreateIndex
CREATE INDEX "oidc_artifact_school_id_model_uid_idx" ON "oidc_artifact"("school_id", "model", "uid");

-- CreateIndex
CREATE INDEX "oidc_artifact_school_id_model_account_id_idx" ON "oidc_artifact"("school_id", "model", "account_id");

-- CreateIndex
CREATE INDEX "oidc_artifact_expires_at_idx" ON "oidc_artifact"("expires_at");

-- CreateIndex
CREATE INDEX "oidc_artifact_successor_until_idx" ON "oidc_artifact"("successor_until");

-- CreateIndex
CREATE INDEX "audit_log_school_id_event_id_idx" ON "audit_log"("school_id", "event", "id");

-- CreateIndex
CREATE INDEX "audit_log_school_id_account_id_id_idx" ON "audit_log"("school_id", "account_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE INDEX "change_log_occurred_at_idx" ON "change_log"("occurred_at");

-- Handwritten: see prisma/handwritten.txt

-- A reference carries the school, so no row can point into another school. Nothing is deleted by way of a reference.
ALTER TABLE "account" ADD CONSTRAINT "account_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "mailed_link" ADD CONSTRAINT "mailed_link_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "mailed_link" ADD CONSTRAINT "mailed_link_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "person" ADD CONSTRAINT "person_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "person" ADD CONSTRAINT "person_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lecturer" ADD CONSTRAINT "lecturer_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "staff" ADD CONSTRAINT "staff_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "staff" ADD CONSTRAINT "staff_lecturer_id_fkey" FOREIGN KEY ("school_id", "lecturer_id") REFERENCES "lecturer" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "course" ADD CONSTRAINT "course_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "course_lecturer" ADD CONSTRAINT "course_lecturer_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "course_lecturer" ADD CONSTRAINT "course_lecturer_lecturer_id_fkey" FOREIGN KEY ("school_id", "lecturer_id") REFERENCES "lecturer" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "oidc_client" ADD CONSTRAINT "oidc_client_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "oidc_grant" ADD CONSTRAINT "oidc_grant_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "signing_key" ADD CONSTRAINT "signing_key_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Only compared and searched by prefix: bytes are faster than a language's order, and no upgrade of the system changes them.
ALTER TABLE "account" ALTER COLUMN "email" TYPE TEXT COLLATE "C";
ALTER TABLE "person" ALTER COLUMN "email" TYPE TEXT COLLATE "C";
ALTER TABLE "course" ALTER COLUMN "slug" TYPE TEXT COLLATE "C";
ALTER TABLE "lecturer" ALTER COLUMN "slug" TYPE TEXT COLLATE "C";

-- An order by a time that may be absent: an absent one stands before all others.
CREATE INDEX "course_published_at_order" ON "course" ("school_id", (coalesce("published_at", '-infinity'::timestamptz)), "id");

ALTER TABLE "idempotency_record" ADD CONSTRAINT "idempotency_record_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "change_log" ADD CONSTRAINT "change_log_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
