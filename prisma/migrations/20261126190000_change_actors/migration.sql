-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on change_log

-- AlterTable
ALTER TABLE "change_log" ADD COLUMN     "actor_kind" TEXT,
ADD COLUMN     "client_id" TEXT;

-- Handwritten: the deliveries of webhooks name who made the change. See prisma/handwritten.txt
CREATE OR REPLACE FUNCTION add_change_webhooks() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    INSERT INTO outbox (school_id, kind, target, order_key, payload, expires_at)
        SELECT added.school_id, ''webhook'', endpoint.name, endpoint.name || '':'' || added.type || '':'' || added.resource_id,
               jsonb_build_object(''source'', ''change'', ''id'', added.id, ''type'', added.type, ''action'', added.action,
                                  ''resource_id'', added.resource_id, ''version'', added.version, ''occurred_at'', added.occurred_at,
                                  ''actor_kind'', added.actor_kind, ''client_id'', added.client_id),
               now() + interval ''3 days''
          FROM added
          JOIN webhook_endpoint endpoint
            ON endpoint.school_id = added.school_id AND endpoint.is_active AND added.type = ANY (endpoint.types)
         ORDER BY added.id;
    RETURN NULL;
END';
