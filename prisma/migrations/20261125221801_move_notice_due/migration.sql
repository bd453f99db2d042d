-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on event
-- Work: builds 1 index of event

-- Handwritten: see prisma/handwritten.txt
CREATE INDEX CONCURRENTLY "event_move_notice_due" ON "event"("move_notice_at") WHERE "move_notice_at" IS NOT NULL;
