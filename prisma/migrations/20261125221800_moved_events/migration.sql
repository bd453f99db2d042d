-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on event

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "move_notice_at" TIMESTAMPTZ(3),
ADD COLUMN     "moved_from" JSONB;
