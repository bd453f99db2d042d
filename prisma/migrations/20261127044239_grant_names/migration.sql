-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on oidc_grant

-- AlterTable
ALTER TABLE "oidc_grant" ADD COLUMN     "own_name" TEXT;

-- Handwritten: processes read a grant again when its end changes, also to a later one.
CREATE OR REPLACE TRIGGER oidc_grant_changed AFTER UPDATE ON oidc_grant FOR EACH ROW
    WHEN ((OLD.account_id, OLD.client_id, OLD.payload, OLD.revoked_at, OLD.paused_at, OLD.expires_at)
            IS DISTINCT FROM (NEW.account_id, NEW.client_id, NEW.payload, NEW.revoked_at, NEW.paused_at, NEW.expires_at))
    EXECUTE FUNCTION report_grant();
