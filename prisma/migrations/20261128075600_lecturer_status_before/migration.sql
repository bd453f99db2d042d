-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on lecturer

-- AlterTable
ALTER TABLE "lecturer" ADD COLUMN     "status_before" TEXT;
