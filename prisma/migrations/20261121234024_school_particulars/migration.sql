-- AlterTable
ALTER TABLE "school" ADD COLUMN     "address" JSONB,
ADD COLUMN     "counts" JSONB,
ADD COLUMN     "description_format" TEXT NOT NULL DEFAULT 'markdown',
ADD COLUMN     "description_html" TEXT,
ADD COLUMN     "legal" JSONB,
ADD COLUMN     "social_links" JSONB NOT NULL DEFAULT '[]';
