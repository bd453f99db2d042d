-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on post
-- Work: builds 1 index of post

-- CreateIndex
CREATE INDEX CONCURRENTLY "post_school_id_title_order_id_idx" ON "post"("school_id", "title_order", "id");
