-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on person
-- Work: builds 1 index of person

-- CreateIndex
CREATE INDEX CONCURRENTLY "person_school_id_is_student_name_order_id_idx" ON "person"("school_id", "is_student", "name_order", "id");
