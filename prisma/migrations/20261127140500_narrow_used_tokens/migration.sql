-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE UPDATE EXCLUSIVE on oidc_artifact

-- A refresh token that is used shrinks to what detects its reuse, and no index changes: with room on its page, PostgreSQL writes it next to its
-- earlier version and changes no index (HOT). Existing pages keep their density.
ALTER TABLE "oidc_artifact" SET (fillfactor = 70);
