-- AlterTable
ALTER TABLE "membership_plan" ADD COLUMN     "manual_renewal" TEXT NOT NULL DEFAULT 'confirm';
