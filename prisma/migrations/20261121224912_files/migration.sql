-- AlterTable
ALTER TABLE "course" ADD COLUMN     "cover_image_alt" TEXT,
ADD COLUMN     "cover_image_file_id" UUID;

-- CreateTable
CREATE TABLE "file" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "byte_size" BIGINT NOT NULL,
    "checksum_sha256" TEXT,
    "purpose" TEXT NOT NULL,
    "visibility" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "storage_key" TEXT NOT NULL,
    "alt" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" INTEGER,
    "uploaded_by" UUID,
    "unused_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "upload" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "file_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "file_reference" (
    "school_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "ref_type" TEXT NOT NULL,
    "ref_id" UUID NOT NULL,
    "field" TEXT NOT NULL,

    CONSTRAINT "file_reference_pkey" PRIMARY KEY ("school_id","file_id","ref_type","ref_id","field")
);

-- CreateTable
CREATE TABLE "file_removal" (
    "school_id" UUID NOT NULL,
    "storage_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_removal_pkey" PRIMARY KEY ("school_id","storage_key")
);

-- CreateTable
CREATE TABLE "storage_usage" (
    "school_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "storage_usage_pkey" PRIMARY KEY ("school_id")
);

-- CreateIndex
CREATE INDEX "file_school_id_purpose_id_idx" ON "file"("school_id", "purpose", "id");

-- CreateIndex
CREATE INDEX "file_school_id_status_id_idx" ON "file"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "file_school_id_uploaded_by_id_idx" ON "file"("school_id", "uploaded_by", "id");

-- CreateIndex
CREATE INDEX "file_status_unused_since_idx" ON "file"("status", "unused_since");

-- CreateIndex
CREATE UNIQUE INDEX "file_school_id_storage_key_key" ON "file"("school_id", "storage_key");

-- CreateIndex
CREATE INDEX "upload_school_id_file_id_idx" ON "upload"("school_id", "file_id");

-- CreateIndex
CREATE INDEX "upload_status_expires_at_idx" ON "upload"("status", "expires_at");

-- CreateIndex
CREATE INDEX "file_reference_school_id_ref_type_ref_id_idx" ON "file_reference"("school_id", "ref_type", "ref_id");

-- CreateIndex
CREATE INDEX "file_removal_created_at_idx" ON "file_removal"("created_at");

-- Handwritten: see prisma/handwritten.txt

ALTER TABLE "file" ADD CONSTRAINT "file_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "file" ADD CONSTRAINT "file_uploaded_by_fkey" FOREIGN KEY ("school_id", "uploaded_by") REFERENCES "account" ("school_id", "id") ON DELETE SET NULL ("uploaded_by") ON UPDATE RESTRICT;
ALTER TABLE "upload" ADD CONSTRAINT "upload_file_id_fkey" FOREIGN KEY ("school_id", "file_id") REFERENCES "file" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
-- What is used stays: who removes a file takes back what refers to it first.
ALTER TABLE "file_reference" ADD CONSTRAINT "file_reference_file_id_fkey" FOREIGN KEY ("school_id", "file_id") REFERENCES "file" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "file_removal" ADD CONSTRAINT "file_removal_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "storage_usage" ADD CONSTRAINT "storage_usage_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
-- The school's own columns stay: only the reference is emptied.
ALTER TABLE "course" ADD CONSTRAINT "course_cover_image_file_id_fkey" FOREIGN KEY ("school_id", "cover_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_image_file_id") ON UPDATE RESTRICT;
CREATE INDEX "course_cover_image_file_id_idx" ON "course" ("school_id", "cover_image_file_id") WHERE "cover_image_file_id" IS NOT NULL;
