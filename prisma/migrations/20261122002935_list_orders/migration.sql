-- CreateIndex
CREATE INDEX "course_school_id_position_id_idx" ON "course"("school_id", "position", "id");

-- CreateIndex
CREATE INDEX "course_school_id_title_id_idx" ON "course"("school_id", "title", "id");

-- CreateIndex
CREATE INDEX "lecturer_school_id_position_id_idx" ON "lecturer"("school_id", "position", "id");

-- CreateIndex
CREATE INDEX "page_school_id_title_id_idx" ON "page"("school_id", "title", "id");

-- CreateIndex
CREATE INDEX "staff_school_id_updated_at_id_idx" ON "staff"("school_id", "updated_at", "id");
