-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "period_anchor" TIMESTAMPTZ(3);
