-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on oidc_artifact
-- Work: builds 1 index of oidc_artifact

-- Only what belongs to an account and to no grant is listed by account: sessions. Tokens end with their grant.
CREATE INDEX CONCURRENTLY "oidc_artifact_without_grant" ON "oidc_artifact" ("school_id", "model", "account_id") WHERE "account_id" IS NOT NULL AND "grant_id" IS NULL;
