-- AlterTable
ALTER TABLE "outbox" ADD COLUMN "recipient" TEXT;

-- Handwritten: see prisma/handwritten.txt

-- Rows about a person, for the erasure.
CREATE INDEX "outbox_of_recipient" ON "outbox" ("school_id", "recipient") WHERE "recipient" IS NOT NULL;
