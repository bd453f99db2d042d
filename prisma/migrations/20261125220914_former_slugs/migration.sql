-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on school

-- CreateTable
CREATE TABLE "former_slug" (
    "school_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "row_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_slug_pkey" PRIMARY KEY ("school_id","type","slug")
);

-- CreateIndex
CREATE INDEX "former_slug_school_id_type_row_id_idx" ON "former_slug"("school_id", "type", "row_id");

-- CreateIndex
CREATE INDEX "former_slug_expires_at_idx" ON "former_slug"("expires_at");

-- AddForeignKey
ALTER TABLE "former_slug" ADD CONSTRAINT "former_slug_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
