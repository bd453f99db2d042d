// Proves D22: Spans of statements have no text and no values, and spans hold no secret

import { expect, test } from 'vitest'
import { statementSpan } from '../../src/database/connection/statementSpans.ts'

test.each([
  ['select (select f.id from "file" as f where f.id = "course"."id") from "course" where "title" = $1', 'SELECT course'],
  ['insert into "audit_log" ("id") values ($1)', 'INSERT audit_log'],
  ['UPDATE oidc_grant SET revoked_at = now() WHERE id = $1', 'UPDATE oidc_grant'],
  ['with "due" as (select "id" from "outbox" for update skip locked) update "webhook_endpoint" set "x" = 1', 'WITH webhook_endpoint'],
  ['delete from "passkey" where "account_id" = $1', 'DELETE passkey'],
  ['select set_config(\'a from "secret" b\', $1, true)', 'SELECT'],
  ['select extract(epoch from now())', 'SELECT'],
  ['begin', 'BEGIN'],
  ['  ', 'STATEMENT'],
])('%s is the span %s', (text, name) => {
  const { attributes, ...span } = statementSpan(text)
  expect([span.name, span.kind]).toEqual([name, 'client'])
  expect(Object.values(attributes ?? {}).join(' ')).not.toMatch(/\$1|secret/)
})
