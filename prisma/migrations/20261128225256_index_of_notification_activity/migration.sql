-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on notification
-- Work: builds 1 index of notification

CREATE INDEX CONCURRENTLY "notification_of_activity" ON "notification" ("school_id", "activity_id") WHERE "activity_id" IS NOT NULL;
