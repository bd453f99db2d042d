-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on course, ACCESS EXCLUSIVE on digital_product, ACCESS EXCLUSIVE on form, ACCESS EXCLUSIVE on lecturer, ACCESS EXCLUSIVE on membership_plan, ACCESS EXCLUSIVE on page, ACCESS EXCLUSIVE on person, ACCESS EXCLUSIVE on post

-- DropIndex
DROP INDEX "course_school_id_status_title_id_idx";

-- DropIndex
DROP INDEX "course_school_id_title_id_idx";

-- DropIndex
DROP INDEX "digital_product_school_id_title_id_idx";

-- DropIndex
DROP INDEX "form_school_id_title_id_idx";

-- DropIndex
DROP INDEX "lecturer_school_id_display_name_id_idx";

-- DropIndex
DROP INDEX "membership_plan_school_id_name_id_idx";

-- DropIndex
DROP INDEX "page_school_id_status_title_id_idx";

-- DropIndex
DROP INDEX "page_school_id_title_id_idx";

-- DropIndex
DROP INDEX "person_school_id_is_student_name_id_idx";

-- DropIndex
DROP INDEX "post_school_id_title_id_idx";

-- Handwritten
DROP INDEX "person_display_name_order";
