-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on recovery_code

-- AlterTable
ALTER TABLE "recovery_code" ADD COLUMN     "key_id" TEXT;
