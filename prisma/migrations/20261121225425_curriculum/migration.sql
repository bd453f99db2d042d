-- AlterTable
ALTER TABLE "course" ADD COLUMN     "description_format" TEXT NOT NULL DEFAULT 'markdown',
ADD COLUMN     "description_html" TEXT,
ADD COLUMN     "previews_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "published_duration_minutes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "published_lessons_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "published_previews_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "sections_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "tree_version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "section" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "course_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "summary" TEXT,
    "position" INTEGER NOT NULL,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "section_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "lesson" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "course_id" UUID NOT NULL,
    "section_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "is_preview" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "duration_seconds" INTEGER,
    "media" JSONB,
    "quiz" JSONB,
    "event_id" UUID,
    "drip" JSONB NOT NULL DEFAULT '{"mode":"none"}',
    "comments_enabled" BOOLEAN NOT NULL DEFAULT true,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "lesson_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "lesson_body" (
    "school_id" UUID NOT NULL,
    "lesson_id" UUID NOT NULL,
    "content" TEXT NOT NULL,
    "content_format" TEXT NOT NULL,
    "content_html" TEXT NOT NULL,

    CONSTRAINT "lesson_body_pkey" PRIMARY KEY ("school_id","lesson_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "section_school_id_external_id_key" ON "section"("school_id", "external_id");

-- CreateIndex
CREATE INDEX "lesson_school_id_course_id_status_idx" ON "lesson"("school_id", "course_id", "status");

-- CreateIndex
CREATE INDEX "lesson_school_id_updated_at_id_idx" ON "lesson"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "lesson_school_id_external_id_key" ON "lesson"("school_id", "external_id");

-- Handwritten: see prisma/handwritten.txt

-- What a course holds goes with it, part by part. A text goes with its lesson.
ALTER TABLE "section" ADD CONSTRAINT "section_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_section_id_fkey" FOREIGN KEY ("school_id", "section_id") REFERENCES "section" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "lesson_body" ADD CONSTRAINT "lesson_body_lesson_id_fkey" FOREIGN KEY ("school_id", "lesson_id") REFERENCES "lesson" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- One row to a place. Checked when a statement ends, not row by row: one statement gives every row its new place.
ALTER TABLE "section" ADD CONSTRAINT "section_position_key" UNIQUE ("school_id", "course_id", "position") DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_position_key" UNIQUE ("school_id", "section_id", "position") DEFERRABLE INITIALLY IMMEDIATE;
