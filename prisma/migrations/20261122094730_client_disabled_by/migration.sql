-- Who disabled a client: an operator's command, or the school's file.
ALTER TABLE "oidc_client" ADD COLUMN "disabled_by" TEXT;
