-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on coupon, ACCESS EXCLUSIVE on course, ACCESS EXCLUSIVE on digital_product, ACCESS EXCLUSIVE on event, ACCESS EXCLUSIVE on form, ACCESS EXCLUSIVE on lecturer, ACCESS EXCLUSIVE on lesson, ACCESS EXCLUSIVE on membership_plan, ACCESS EXCLUSIVE on page, ACCESS EXCLUSIVE on post, ACCESS EXCLUSIVE on staff, ACCESS EXCLUSIVE on subscription

-- DropIndex
DROP INDEX "coupon_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "course_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "digital_product_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "event_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "form_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "lecturer_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "lesson_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "membership_plan_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "page_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "post_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "staff_school_id_updated_at_id_idx";

-- DropIndex
DROP INDEX "subscription_school_id_updated_at_id_idx";

-- Handwritten: room in each page for the next version of a row, so that a change of columns that no index needs writes no index.
ALTER TABLE "coupon" SET (fillfactor = 80);
ALTER TABLE "course" SET (fillfactor = 80);
ALTER TABLE "digital_product" SET (fillfactor = 80);
ALTER TABLE "event" SET (fillfactor = 80);
ALTER TABLE "form" SET (fillfactor = 80);
ALTER TABLE "lecturer" SET (fillfactor = 80);
ALTER TABLE "lesson" SET (fillfactor = 80);
ALTER TABLE "membership_plan" SET (fillfactor = 80);
ALTER TABLE "page" SET (fillfactor = 80);
ALTER TABLE "post" SET (fillfactor = 80);
ALTER TABLE "staff" SET (fillfactor = 80);
ALTER TABLE "subscription" SET (fillfactor = 80);
