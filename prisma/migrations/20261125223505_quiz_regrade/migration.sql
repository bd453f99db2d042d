-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on quiz_attempt

-- AlterTable
ALTER TABLE "quiz_attempt" ADD COLUMN     "previous_passed" BOOLEAN,
ADD COLUMN     "previous_score_bps" INTEGER,
ADD COLUMN     "regraded_at" TIMESTAMPTZ(3);
