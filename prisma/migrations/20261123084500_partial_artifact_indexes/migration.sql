-- Every refresh token of a school has the same school_id and model. As long as PostgreSQL has no statistics about the table, an index that
-- begins with these two seems as good as the primary key, so that a look-up by id read every token of the school. Partial indexes cannot serve
-- such a look-up, and rows without the value need no entry.
DROP INDEX "oidc_artifact_school_id_grant_id_idx";
DROP INDEX "oidc_artifact_school_id_model_uid_idx";
DROP INDEX "oidc_artifact_school_id_model_account_id_idx";
DROP INDEX "oidc_artifact_successor_until_idx";
CREATE INDEX "oidc_artifact_of_grant" ON "oidc_artifact" ("school_id", "grant_id") WHERE "grant_id" IS NOT NULL;
CREATE INDEX "oidc_artifact_of_uid" ON "oidc_artifact" ("school_id", "model", "uid") WHERE "uid" IS NOT NULL;
CREATE INDEX "oidc_artifact_of_account" ON "oidc_artifact" ("school_id", "model", "account_id") WHERE "account_id" IS NOT NULL;
CREATE INDEX "oidc_artifact_successor" ON "oidc_artifact" ("successor_until") WHERE "successor_until" IS NOT NULL;
