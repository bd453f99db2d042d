-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on oidc_client, ACCESS EXCLUSIVE on oidc_grant

-- AlterTable
ALTER TABLE "oidc_client" ADD COLUMN     "paused_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "oidc_grant" ADD COLUMN     "paused_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "grant_use" (
    "school_id" UUID NOT NULL,
    "grant_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "operation" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "rows" BIGINT NOT NULL,
    "refused" BIGINT NOT NULL,

    CONSTRAINT "grant_use_pkey" PRIMARY KEY ("school_id","grant_id","day","operation")
);

-- CreateIndex
CREATE INDEX "grant_use_day_idx" ON "grant_use"("day");

-- AddForeignKey
ALTER TABLE "grant_use" ADD CONSTRAINT "grant_use_school_id_grant_id_fkey" FOREIGN KEY ("school_id", "grant_id") REFERENCES "oidc_grant"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: processes read a client and a grant again when they are paused or continued.
CREATE OR REPLACE TRIGGER oidc_client_changed AFTER UPDATE ON oidc_client FOR EACH ROW
    WHEN ((OLD.metadata, OLD.registered_via, OLD.disabled_at, OLD.paused_at)
            IS DISTINCT FROM (NEW.metadata, NEW.registered_via, NEW.disabled_at, NEW.paused_at))
    EXECUTE FUNCTION report_client();
CREATE OR REPLACE TRIGGER oidc_grant_changed AFTER UPDATE ON oidc_grant FOR EACH ROW
    WHEN ((OLD.account_id, OLD.client_id, OLD.payload, OLD.revoked_at, OLD.paused_at)
            IS DISTINCT FROM (NEW.account_id, NEW.client_id, NEW.payload, NEW.revoked_at, NEW.paused_at)
        OR NEW.expires_at < OLD.expires_at)
    EXECUTE FUNCTION report_grant();
