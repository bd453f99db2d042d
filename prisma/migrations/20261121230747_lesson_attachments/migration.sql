-- AlterTable
ALTER TABLE "lesson" ADD COLUMN     "attachment_file_ids" UUID[] DEFAULT ARRAY[]::UUID[];
