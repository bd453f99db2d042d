-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on outbox
-- Work: builds 1 index of outbox

CREATE INDEX CONCURRENTLY "outbox_of_activity" ON "outbox" ("school_id", "activity_id") WHERE "activity_id" IS NOT NULL;
