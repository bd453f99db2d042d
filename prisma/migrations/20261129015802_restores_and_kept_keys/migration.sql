-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on installation, ACCESS EXCLUSIVE on recovery_code

-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "database_place" TEXT,
ADD COLUMN     "held_since" TIMESTAMPTZ(3),
ADD COLUMN     "kept_keys" TEXT,
ADD COLUMN     "restored_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "recovery_code" DROP COLUMN "key_id",
ADD COLUMN     "slow_hash" TEXT;
