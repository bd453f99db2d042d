-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on approval, SHARE ROW EXCLUSIVE on oidc_grant

-- AlterTable
ALTER TABLE "approval" DROP COLUMN "content",
DROP COLUMN "kind",
DROP COLUMN "kind_ends_at",
DROP COLUMN "kind_uses";

-- CreateTable
CREATE TABLE "proposal" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "grant_id" TEXT NOT NULL,
    "name" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "needs_second" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "proposal_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "proposal_request" (
    "school_id" UUID NOT NULL,
    "proposal_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "operation" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "sealed" TEXT,
    "response" TEXT,

    CONSTRAINT "proposal_request_pkey" PRIMARY KEY ("school_id","proposal_id","position")
);

-- CreateIndex
CREATE INDEX "proposal_school_id_grant_id_name_idx" ON "proposal"("school_id", "grant_id", "name");

-- CreateIndex
CREATE INDEX "proposal_expires_at_idx" ON "proposal"("expires_at");

-- CreateIndex
CREATE INDEX "proposal_request_school_id_fingerprint_idx" ON "proposal_request"("school_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "proposal" ADD CONSTRAINT "proposal_school_id_grant_id_fkey" FOREIGN KEY ("school_id", "grant_id") REFERENCES "oidc_grant"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "proposal_request" ADD CONSTRAINT "proposal_request_school_id_proposal_id_fkey" FOREIGN KEY ("school_id", "proposal_id") REFERENCES "proposal"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
