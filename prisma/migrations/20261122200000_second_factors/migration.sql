CREATE TABLE "passkey" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_synced" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkey_pkey" PRIMARY KEY ("school_id","id")
);

CREATE TABLE "authenticator_app" (
    "school_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "last_step" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "authenticator_app_pkey" PRIMARY KEY ("school_id","account_id")
);

CREATE TABLE "recovery_code" (
    "school_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("school_id","account_id","hash")
);

CREATE TABLE "used_challenge" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_challenge_pkey" PRIMARY KEY ("school_id","id")
);

CREATE UNIQUE INDEX "passkey_school_id_credential_id_key" ON "passkey"("school_id", "credential_id");

CREATE INDEX "passkey_school_id_account_id_idx" ON "passkey"("school_id", "account_id");

CREATE INDEX "used_challenge_expires_at_idx" ON "used_challenge"("expires_at");

ALTER TABLE "passkey" ADD CONSTRAINT "passkey_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "authenticator_app" ADD CONSTRAINT "authenticator_app_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "authenticator_app" ADD CONSTRAINT "authenticator_app_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account" ("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "used_challenge" ADD CONSTRAINT "used_challenge_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
