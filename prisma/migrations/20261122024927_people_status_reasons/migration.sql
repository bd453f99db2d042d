-- AlterTable
ALTER TABLE "person" ADD COLUMN     "member_status_reason" TEXT,
ADD COLUMN     "student_status_reason" TEXT;
