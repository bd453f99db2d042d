-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on oidc_grant

-- AlterTable
ALTER TABLE "oidc_grant" ADD COLUMN     "asks_first" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "approval" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "grant_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "row_version" INTEGER,
    "summary" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "kind_until" TIMESTAMPTZ(3),

    CONSTRAINT "approval_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateIndex
CREATE INDEX "approval_school_id_grant_id_fingerprint_idx" ON "approval"("school_id", "grant_id", "fingerprint");

-- CreateIndex
CREATE INDEX "approval_expires_at_idx" ON "approval"("expires_at");

-- AddForeignKey
ALTER TABLE "approval" ADD CONSTRAINT "approval_school_id_grant_id_fkey" FOREIGN KEY ("school_id", "grant_id") REFERENCES "oidc_grant"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: processes read a grant again when its app has to ask first, or no longer.
CREATE OR REPLACE TRIGGER oidc_grant_changed AFTER UPDATE ON oidc_grant FOR EACH ROW
    WHEN ((OLD.account_id, OLD.client_id, OLD.payload, OLD.revoked_at, OLD.paused_at, OLD.expires_at, OLD.asks_first)
            IS DISTINCT FROM (NEW.account_id, NEW.client_id, NEW.payload, NEW.revoked_at, NEW.paused_at, NEW.expires_at, NEW.asks_first))
    EXECUTE FUNCTION report_grant();
