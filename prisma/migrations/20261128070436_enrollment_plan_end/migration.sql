-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on enrollment

-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "plan_end" JSONB;
