-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on digital_product
-- Work: builds 1 index of digital_product

-- CreateIndex
CREATE INDEX CONCURRENTLY "digital_product_school_id_title_order_id_idx" ON "digital_product"("school_id", "title_order", "id");
