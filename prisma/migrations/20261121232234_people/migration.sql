-- AlterTable
ALTER TABLE "account" DROP COLUMN "picture",
ADD COLUMN     "avatar_alt" TEXT,
ADD COLUMN     "avatar_file_id" UUID;

-- AlterTable
ALTER TABLE "lecturer" ADD COLUMN     "avatar_alt" TEXT,
ADD COLUMN     "avatar_file_id" UUID,
ADD COLUMN     "bio_format" TEXT NOT NULL DEFAULT 'markdown',
ADD COLUMN     "bio_html" TEXT,
ADD COLUMN     "cover_image_alt" TEXT,
ADD COLUMN     "cover_image_file_id" UUID,
ADD COLUMN     "email" TEXT,
ADD COLUMN     "expertise" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "links" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "metadata" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "person" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "lecturer_school_id_status_position_id_idx" ON "lecturer"("school_id", "status", "position", "id");

-- CreateIndex
CREATE INDEX "lecturer_school_id_display_name_id_idx" ON "lecturer"("school_id", "display_name", "id");

-- CreateIndex
CREATE INDEX "lecturer_school_id_updated_at_id_idx" ON "lecturer"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "lecturer_school_id_external_id_key" ON "lecturer"("school_id", "external_id");

-- Handwritten: see prisma/handwritten.txt

-- The school's own columns stay: only the reference is emptied.
ALTER TABLE "lecturer" ADD CONSTRAINT "lecturer_avatar_file_id_fkey" FOREIGN KEY ("school_id", "avatar_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("avatar_file_id") ON UPDATE RESTRICT;
ALTER TABLE "lecturer" ADD CONSTRAINT "lecturer_cover_image_file_id_fkey" FOREIGN KEY ("school_id", "cover_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_image_file_id") ON UPDATE RESTRICT;
ALTER TABLE "account" ADD CONSTRAINT "account_avatar_file_id_fkey" FOREIGN KEY ("school_id", "avatar_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("avatar_file_id") ON UPDATE RESTRICT;
CREATE INDEX "lecturer_avatar_file_id_idx" ON "lecturer" ("school_id", "avatar_file_id") WHERE "avatar_file_id" IS NOT NULL;
CREATE INDEX "lecturer_cover_image_file_id_idx" ON "lecturer" ("school_id", "cover_image_file_id") WHERE "cover_image_file_id" IS NOT NULL;
CREATE INDEX "account_avatar_file_id_idx" ON "account" ("school_id", "avatar_file_id") WHERE "avatar_file_id" IS NOT NULL;
CREATE INDEX "account_deletion_scheduled_at_idx" ON "account" ("deletion_scheduled_at") WHERE "deletion_scheduled_at" IS NOT NULL;
-- A profile has one login.
CREATE UNIQUE INDEX "staff_lecturer_id_login" ON "staff" ("school_id", "lecturer_id") WHERE "status" <> 'removed';
