-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on enrollment

-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "certificate_corrected_at" TIMESTAMPTZ(3),
ADD COLUMN     "certificate_course_title" TEXT,
ADD COLUMN     "certificate_holder_name" TEXT;
