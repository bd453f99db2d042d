-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on oidc_artifact

DROP INDEX CONCURRENTLY IF EXISTS "oidc_artifact_of_account";
