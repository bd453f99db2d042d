-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on installation

-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "log_level" TEXT,
ADD COLUMN     "log_level_until" TIMESTAMPTZ(3);
