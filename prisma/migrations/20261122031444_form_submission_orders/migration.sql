-- DropIndex
DROP INDEX "form_submission_school_id_submitted_at_idx";

-- CreateIndex
CREATE INDEX "form_submission_school_id_submitted_at_id_idx" ON "form_submission"("school_id", "submitted_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_school_id_form_id_submitted_at_id_idx" ON "form_submission"("school_id", "form_id", "submitted_at", "id");
