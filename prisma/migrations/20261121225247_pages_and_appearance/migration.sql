-- CreateTable
CREATE TABLE "appearance" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "theme" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "colors" JSONB NOT NULL,
    "fonts" JSONB NOT NULL,
    "corner_radius" TEXT NOT NULL,
    "logo_file_id" UUID,
    "logo_alt" TEXT,
    "logo_dark_file_id" UUID,
    "logo_dark_alt" TEXT,
    "favicon_file_id" UUID,
    "favicon_alt" TEXT,
    "cover_file_id" UUID,
    "cover_alt" TEXT,
    "social_image_file_id" UUID,
    "social_image_alt" TEXT,
    "links" JSONB NOT NULL DEFAULT '{}',
    "home_page_id" UUID,
    "announcement" JSONB,
    "custom_css" TEXT,

    CONSTRAINT "appearance_pkey" PRIMARY KEY ("school_id")
);

-- CreateTable
CREATE TABLE "page" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "slug" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'custom',
    "status" TEXT NOT NULL DEFAULT 'draft',
    "visibility" TEXT NOT NULL DEFAULT 'public',
    "title" TEXT NOT NULL,
    "draft_title" TEXT NOT NULL,
    "draft_blocks" JSONB NOT NULL DEFAULT '[]',
    "draft_seo" JSONB,
    "draft_show_in_navigation" BOOLEAN NOT NULL DEFAULT false,
    "live" JSONB,
    "published_at" TIMESTAMPTZ(3),
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "page_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "page_revision" (
    "school_id" UUID NOT NULL,
    "page_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" TEXT NOT NULL,
    "account_id" UUID,
    "content" JSONB NOT NULL,

    CONSTRAINT "page_revision_pkey" PRIMARY KEY ("school_id","page_id","number")
);

-- CreateIndex
CREATE INDEX "page_school_id_status_id_idx" ON "page"("school_id", "status", "id");

-- CreateIndex
CREATE INDEX "page_school_id_status_title_id_idx" ON "page"("school_id", "status", "title", "id");

-- CreateIndex
CREATE INDEX "page_school_id_updated_at_id_idx" ON "page"("school_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "page_school_id_slug_key" ON "page"("school_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "page_school_id_external_id_key" ON "page"("school_id", "external_id");

-- Handwritten: see prisma/handwritten.txt

ALTER TABLE "appearance" ADD CONSTRAINT "appearance_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "page" ADD CONSTRAINT "page_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_home_page_id_fkey" FOREIGN KEY ("school_id", "home_page_id") REFERENCES "page" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
-- A picture whose file goes is no longer shown.
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_logo_file_id_fkey" FOREIGN KEY ("school_id", "logo_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("logo_file_id") ON UPDATE RESTRICT;
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_logo_dark_file_id_fkey" FOREIGN KEY ("school_id", "logo_dark_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("logo_dark_file_id") ON UPDATE RESTRICT;
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_favicon_file_id_fkey" FOREIGN KEY ("school_id", "favicon_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("favicon_file_id") ON UPDATE RESTRICT;
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_cover_file_id_fkey" FOREIGN KEY ("school_id", "cover_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("cover_file_id") ON UPDATE RESTRICT;
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_social_image_file_id_fkey" FOREIGN KEY ("school_id", "social_image_file_id") REFERENCES "file" ("school_id", "id") ON DELETE SET NULL ("social_image_file_id") ON UPDATE RESTRICT;
-- A page owns its revisions: they go with it.
ALTER TABLE "page_revision" ADD CONSTRAINT "page_revision_page_id_fkey" FOREIGN KEY ("school_id", "page_id") REFERENCES "page" ("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

ALTER TABLE "page" ALTER COLUMN "slug" TYPE TEXT COLLATE "C";

-- What visitors see exists exactly while the page is published.
ALTER TABLE "page" ADD CONSTRAINT "page_live_while_published" CHECK (("status" = 'published') = ("live" IS NOT NULL));
ALTER TABLE "appearance" ADD CONSTRAINT "appearance_of_its_school" CHECK ("id" = "school_id");
