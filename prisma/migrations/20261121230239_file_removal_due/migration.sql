-- DropIndex
DROP INDEX "file_removal_created_at_idx";

-- AlterTable
ALTER TABLE "file_removal" ADD COLUMN     "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE INDEX "file_removal_due_at_idx" ON "file_removal"("due_at");

-- The size is called as in the table of usage.
ALTER TABLE "file" RENAME COLUMN "byte_size" TO "bytes";
