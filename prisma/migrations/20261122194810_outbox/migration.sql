-- CreateTable
CREATE TABLE "outbox" (
    "school_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "target" TEXT,
    "order_key" TEXT,
    "payload" JSONB,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "school_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "types" TEXT[],
    "url_hash" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "paused_until" TIMESTAMPTZ(3),
    "gone_at" TIMESTAMPTZ(3),
    "succeeded_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "failure" TEXT,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("school_id","name")
);

-- CreateTable
CREATE TABLE "job_run" (
    "name" TEXT NOT NULL,
    "every_seconds" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "succeeded_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "result" JSONB,

    CONSTRAINT "job_run_pkey" PRIMARY KEY ("name")
);

-- AddForeignKey
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Handwritten: see prisma/handwritten.txt

-- Due rows of a kind; rows that wait for an earlier one; rows of an endpoint; finished rows.
CREATE INDEX "outbox_due" ON "outbox" ("kind", "next_at") WHERE "state" = 'pending';
CREATE INDEX "outbox_in_order" ON "outbox" ("school_id", "order_key", "id") WHERE "state" = 'pending' AND "order_key" IS NOT NULL;
CREATE INDEX "outbox_of_target" ON "outbox" ("school_id", "target", "next_at") WHERE "state" = 'pending' AND "target" IS NOT NULL;
CREATE INDEX "outbox_finished" ON "outbox" ("finished_at") WHERE "state" <> 'pending';

-- Handwritten: adds the deliveries of webhooks in the transaction that records a change or an audit entry. Nothing is written for
-- schools without an active endpoint. The payload holds ids only.
CREATE FUNCTION add_change_webhooks() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    INSERT INTO outbox (school_id, kind, target, order_key, payload, expires_at)
        SELECT added.school_id, ''webhook'', endpoint.name, endpoint.name || '':'' || added.type || '':'' || added.resource_id,
               jsonb_build_object(''source'', ''change'', ''id'', added.id, ''type'', added.type, ''action'', added.action,
                                  ''resource_id'', added.resource_id, ''version'', added.version, ''occurred_at'', added.occurred_at),
               now() + interval ''3 days''
          FROM added
          JOIN webhook_endpoint endpoint
            ON endpoint.school_id = added.school_id AND endpoint.is_active AND added.type = ANY (endpoint.types)
         ORDER BY added.id;
    RETURN NULL;
END';

CREATE TRIGGER change_log_webhooks AFTER INSERT ON change_log REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION add_change_webhooks();

CREATE FUNCTION add_audit_webhooks() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    INSERT INTO outbox (school_id, kind, target, order_key, payload, expires_at)
        SELECT added.school_id, ''webhook'', endpoint.name,
               endpoint.name || '':security:'' || coalesce(added.account_id, added.client_id, ''''),
               jsonb_build_object(''source'', ''audit'', ''id'', added.id, ''event'', added.event, ''account_id'', added.account_id,
                                  ''client_id'', added.client_id, ''grant_id'', added.grant_id, ''occurred_at'', added.at),
               now() + interval ''3 days''
          FROM added
          JOIN webhook_endpoint endpoint
            ON endpoint.school_id = added.school_id AND endpoint.is_active AND ''security.'' || added.event = ANY (endpoint.types)
         ORDER BY added.id;
    RETURN NULL;
END';

CREATE TRIGGER audit_log_webhooks AFTER INSERT ON audit_log REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION add_audit_webhooks();
