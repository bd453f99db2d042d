-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on comment, SHARE UPDATE EXCLUSIVE on coupon, SHARE UPDATE EXCLUSIVE on course, SHARE UPDATE EXCLUSIVE on digital_product, SHARE UPDATE EXCLUSIVE on enrollment, SHARE UPDATE EXCLUSIVE on event, SHARE UPDATE EXCLUSIVE on form, SHARE UPDATE EXCLUSIVE on lecturer, SHARE UPDATE EXCLUSIVE on membership_plan, SHARE UPDATE EXCLUSIVE on person, SHARE UPDATE EXCLUSIVE on post, SHARE UPDATE EXCLUSIVE on product_grant
-- Work: scans comment, scans coupon, scans course, scans digital_product, scans enrollment, scans event, scans form, scans lecturer, scans membership_plan, scans person, scans post, scans product_grant

ALTER TABLE "comment" VALIDATE CONSTRAINT "comment_counters";
ALTER TABLE "coupon" VALIDATE CONSTRAINT "coupon_counters";
ALTER TABLE "course" VALIDATE CONSTRAINT "course_counters";
ALTER TABLE "digital_product" VALIDATE CONSTRAINT "digital_product_counters";
ALTER TABLE "enrollment" VALIDATE CONSTRAINT "enrollment_counters";
ALTER TABLE "event" VALIDATE CONSTRAINT "event_counters";
ALTER TABLE "form" VALIDATE CONSTRAINT "form_counters";
ALTER TABLE "lecturer" VALIDATE CONSTRAINT "lecturer_counters";
ALTER TABLE "membership_plan" VALIDATE CONSTRAINT "membership_plan_counters";
ALTER TABLE "person" VALIDATE CONSTRAINT "person_counters";
ALTER TABLE "post" VALIDATE CONSTRAINT "post_counters";
ALTER TABLE "product_grant" VALIDATE CONSTRAINT "product_grant_counters";
