-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on person_tag
-- Work: builds 1 index of person_tag

-- CreateIndex
CREATE INDEX CONCURRENTLY "person_tag_school_id_kind_form_person_id_idx" ON "person_tag"("school_id", "kind", "form", "person_id");
