-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on approval

-- AlterTable
ALTER TABLE "approval" ADD COLUMN     "content" TEXT,
ADD COLUMN     "kind" TEXT,
ADD COLUMN     "kind_ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "kind_uses" INTEGER NOT NULL DEFAULT 0;
