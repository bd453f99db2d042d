-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on event, ACCESS EXCLUSIVE on notification, ACCESS EXCLUSIVE on outbox

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "move_activity_id" UUID;

-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "activity_id" UUID;

-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "activity_id" UUID;

-- Handwritten: webhooks about changes of an app belong to its activity, and wait. See prisma/handwritten.txt
CREATE OR REPLACE FUNCTION add_change_webhooks() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    INSERT INTO outbox (school_id, kind, target, order_key, payload, expires_at, activity_id, next_at)
        SELECT added.school_id, ''webhook'', endpoint.name, endpoint.name || '':'' || added.type || '':'' || added.resource_id,
               jsonb_build_object(''source'', ''change'', ''id'', added.id, ''type'', added.type, ''action'', added.action,
                                  ''resource_id'', added.resource_id, ''version'', added.version, ''occurred_at'', added.occurred_at,
                                  ''actor_kind'', added.actor_kind, ''client_id'', added.client_id),
               now() + interval ''3 days'',
               nullif(current_setting(''schoolgate.activity'', true), '''')::uuid,
               now() + make_interval(secs => coalesce(nullif(current_setting(''schoolgate.hold'', true), ''''), ''0'')::int)
          FROM added
          JOIN webhook_endpoint endpoint
            ON endpoint.school_id = added.school_id AND endpoint.is_active AND added.type = ANY (endpoint.types)
         ORDER BY added.id;
    RETURN NULL;
END';
