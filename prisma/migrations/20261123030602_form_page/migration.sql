-- AlterTable
ALTER TABLE "form" ADD COLUMN     "consent_text" TEXT,
ADD COLUMN     "notifies_staff" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "reported_at" TIMESTAMPTZ(3),
ADD COLUMN     "unreported_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "form_submission" ADD COLUMN     "consent_text" TEXT;
