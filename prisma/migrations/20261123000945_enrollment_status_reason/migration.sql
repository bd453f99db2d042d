-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "status_reason" TEXT;
