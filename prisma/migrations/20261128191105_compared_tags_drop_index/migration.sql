-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on person_tag

-- DropIndex
DROP INDEX "person_tag_school_id_kind_tag_person_id_idx";
