-- Refresh tokens that were used keep what notices their reuse: id, grant, client and time. From now on a job clears the rest.
UPDATE "oidc_artifact" SET "payload" = ''
 WHERE "model" = 'RefreshToken' AND "consumed_at" IS NOT NULL AND "successor_until" IS NULL AND "payload" <> '';
