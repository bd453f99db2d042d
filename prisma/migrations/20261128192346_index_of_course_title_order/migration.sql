-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on course
-- Work: builds 1 index of course

-- CreateIndex
CREATE INDEX CONCURRENTLY "course_school_id_title_order_id_idx" ON "course"("school_id", "title_order", "id");
