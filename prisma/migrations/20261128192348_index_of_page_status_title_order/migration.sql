-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on page
-- Work: builds 1 index of page

-- CreateIndex
CREATE INDEX CONCURRENTLY "page_school_id_status_title_order_id_idx" ON "page"("school_id", "status", "title_order", "id");
