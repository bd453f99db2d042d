-- Works with releases from: 20261123150000_reported_forms
-- Locks: none

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "storage_id" UUID,
    "configuration" JSONB,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- Handwritten: see prisma/handwritten.txt
ALTER TABLE "installation" ADD CONSTRAINT "installation_has_one_row" CHECK ("id" = 1);
INSERT INTO "installation" DEFAULT VALUES;
