-- CreateIndex
CREATE INDEX "lesson_progress_school_id_updated_at_id_idx" ON "lesson_progress"("school_id", "updated_at", "id");

-- Handwritten: see prisma/handwritten.txt
CREATE INDEX "enrollment_course_last_activity_at_order" ON "enrollment" ("school_id", "course_id", (coalesce("last_activity_at", '-infinity'::timestamptz)), "id");
