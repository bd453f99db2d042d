import type { Database } from '../../src/database/connection/database.ts'
import { recordAudit } from '../../src/database/tables/audit.ts'
import { deleteExpiredAudit } from '../../src/database/tables/auditRetention.ts'
import { readAudit } from '../../src/database/tables/readAudit.ts'

/** Rows that grow with the use of a service. */
export interface GrowingKind {
  name: string
  /** The number for which the cost is calculated. */
  target: number
  /** How many rows are measured with --scale 1. */
  measured: number
  tables: readonly string[]
  /** Statements that add the rows with the numbers $1 to $2. `bench_school(n)` is the school of a row. */
  fill: readonly string[]
  /** Work on the rows, by name: each takes the number of a row. */
  work: Readonly<Record<string, (database: Database, row: number, schoolOf: (row: number) => string) => Promise<unknown>>>
}

const uuid = (number: string): string => `('019a0000-0000-7000-8000-' || lpad(to_hex((${number})::bigint), 12, '0'))::uuid`
const hashed = (number: string): string => `translate(rtrim(encode(sha256((${number})::text::bytea), 'base64'), '='), '+/', '-_')`
const uuidOf = (number: number): string => `019a0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
const hashOf = async (number: number): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(String(number)))).toString('base64url')

/** About the length of the payload of a refresh token of the service. */
const payload = `'{"iat":1760000000,"exp":1790000000,"kind":"RefreshToken","scope":"openid courses:read","pad":"' || repeat(md5(n::text), 12) || '"}'`
const rows = (statement: string): string =>
  `${statement} FROM generate_series($1::bigint, $2::bigint) AS n, LATERAL (SELECT bench_school(n) AS id) AS of`

export const growingKinds: readonly GrowingKind[] = [
  {
    name: 'account with its person',
    target: 1_000_000,
    measured: 200_000,
    tables: ['account', 'person'],
    fill: [
      rows(`INSERT INTO account (school_id, id, email, name, given_name, family_name, email_verified, password_hash, last_sign_in_at)
        SELECT of.id, ${uuid('n')}, 'person' || n || '@example.org', 'Juno Tindersley', 'Juno', 'Tindersley', true, '$argon2id$v=19$m=19456,t=2,p=1$' || repeat('x', 66), now()`),
      rows(`INSERT INTO person (school_id, id, account_id, email, name, is_student)
        SELECT of.id, ${uuid('n + 1000000000')}, ${uuid('n')}, 'person' || n || '@example.org', 'Juno Tindersley', true`),
    ],
    work: {
      'find by e-mail': ({ kysely }, row, schoolOf) =>
        kysely
          .selectFrom('account')
          .selectAll()
          .where('school_id', '=', schoolOf(row))
          .where('email', '=', `person${row}@example.org`)
          .executeTakeFirstOrThrow(),
    },
  },
  {
    name: 'row of a refresh token',
    target: 10_000_000,
    measured: 400_000,
    tables: ['oidc_artifact'],
    fill: [
      rows(`INSERT INTO oidc_artifact (school_id, model, id, grant_id, client_id, account_id, payload, consumed_at, expires_at)
        SELECT of.id, 'RefreshToken', ${hashed('n')}, ${hashed('n / 5')}, 'cli_' || left(${hashed('n / 500')}, 22), ${uuid('n / 10')}, ${payload},
               CASE WHEN n % 5 > 0 THEN now() END, now() + interval '14 days'`),
    ],
    work: {
      'find by its hash': async ({ kysely }, row, schoolOf) =>
        kysely
          .selectFrom('oidc_artifact')
          .selectAll()
          .where('school_id', '=', schoolOf(row))
          .where('model', '=', 'RefreshToken')
          .where('id', '=', await hashOf(row))
          .executeTakeFirstOrThrow(),
    },
  },
  {
    name: 'row of the audit trail',
    target: 100_000_000,
    measured: 1_000_000,
    tables: ['audit_log'],
    fill: [
      rows(`INSERT INTO audit_log (school_id, id, at, event, account_id, client_id, grant_id, request_id, address)
        SELECT of.id, ${uuid('n')}, now() - interval '1 day', (ARRAY['sign_in.succeeded','token.issued','refresh_token.answered_again','course.updated'])[1 + n % 4],
               ${uuid('n / 100')}::text, 'cli_' || left(${hashed('n / 5000')}, 22), ${hashed('n / 50')}, 'req_' || left(${hashed('n')}, 22), '203.0.113.7'`),
    ],
    work: {
      'write one': ({ kysely }, row, schoolOf) =>
        recordAudit(kysely, [
          {
            school_id: schoolOf(row),
            event: 'token.issued',
            client_id: 'cli_bench',
            account_id: uuidOf(row),
            request_id: 'req_bench',
            address: '203.0.113.7',
          },
        ]),
      'newest 50 of a person': ({ kysely }, row, schoolOf) =>
        readAudit(kysely, { schoolId: schoolOf(row), accountId: uuidOf(Math.floor(row / 100)), order: 'desc', limit: 50 }),
      'delete 1,000 expired': ({ kysely }, row, schoolOf) =>
        deleteExpiredAudit(kysely, schoolOf(row), { days: 0, security_days: 0, full_address_days: 0, limit: 1000 }),
    },
  },
]
