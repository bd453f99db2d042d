-- CreateTable
CREATE TABLE "oidc_client_tombstone" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "redirect_hashes" TEXT[],
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oidc_client_tombstone_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateIndex
CREATE INDEX "oidc_client_tombstone_removed_at_idx" ON "oidc_client_tombstone"("removed_at");
