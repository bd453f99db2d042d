-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on file

-- AlterTable
ALTER TABLE "file" ADD COLUMN     "metadata_removed" JSONB;
