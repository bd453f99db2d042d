-- DropIndex
DROP INDEX "quiz_attempt_school_id_lesson_id_idx";

-- DropIndex
DROP INDEX "quiz_attempt_school_id_person_id_idx";

-- AlterTable
ALTER TABLE "quiz_attempt" ADD COLUMN     "results" JSONB;

-- CreateIndex
CREATE INDEX "quiz_attempt_school_id_created_at_id_idx" ON "quiz_attempt"("school_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "quiz_attempt_school_id_lesson_id_created_at_id_idx" ON "quiz_attempt"("school_id", "lesson_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "quiz_attempt_school_id_person_id_created_at_id_idx" ON "quiz_attempt"("school_id", "person_id", "created_at", "id");
