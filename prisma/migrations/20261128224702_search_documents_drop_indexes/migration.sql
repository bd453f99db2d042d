-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on comment, ACCESS EXCLUSIVE on coupon, ACCESS EXCLUSIVE on course, ACCESS EXCLUSIVE on digital_product, ACCESS EXCLUSIVE on event, ACCESS EXCLUSIVE on file, ACCESS EXCLUSIVE on form, ACCESS EXCLUSIVE on lecturer, ACCESS EXCLUSIVE on membership_plan, ACCESS EXCLUSIVE on orders, ACCESS EXCLUSIVE on page, ACCESS EXCLUSIVE on person, ACCESS EXCLUSIVE on post

DROP INDEX "course_search";
DROP INDEX "lecturer_search";
DROP INDEX "event_search";
DROP INDEX "membership_plan_search";
DROP INDEX "post_search";
DROP INDEX "digital_product_search";
DROP INDEX "page_search";
DROP INDEX "form_search";
DROP INDEX "coupon_search";
DROP INDEX "file_search";
DROP INDEX "orders_search";
DROP INDEX "comment_search";
DROP INDEX "person_search";
DROP INDEX "course_words";
DROP INDEX "lecturer_words";
DROP INDEX "event_words";
DROP INDEX "membership_plan_words";
DROP INDEX "post_words";
DROP INDEX "digital_product_words";
DROP INDEX "page_words";
