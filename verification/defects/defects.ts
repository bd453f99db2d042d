/** One text of a file, and what replaces it. The text must be in the file exactly once. */
export interface Change {
  file: string
  from: string
  to: string
}

/** An error that is planted in a copy of the source, and the command that must report it. */
export interface PlantedDefect {
  name: string
  /** Names what is removed from the service; or, without changes, what the model of a run gets in addition. */
  about: string
  changes: readonly Change[]
  command: readonly [string, ...string[]]
  /** A text in the report of the command. Another failure is not the one that was planted. */
  report: string
}

const soak = (...options: string[]): [string, ...string[]] => [
  'npm',
  'run',
  'soak',
  '--',
  '--minutes',
  '1',
  '--only',
  'SIGHUP, invalid',
  ...options,
]
const vitest = (file: string, ...options: string[]): [string, ...string[]] => ['npm', 'test', '--', file, ...options]

/** The defects, in the order of the table in docs/reliability.md. */
export const defects: readonly PlantedDefect[] = [
  {
    name: 'model: a write',
    about: 'the model has a course that was never created',
    changes: [],
    command: soak('--plant', 'write'),
    report: 'lost: course crs_01jgwejj00e6srgkpqm2sqf05m was acknowledged and does not exist',
  },
  {
    name: 'model: a revocation',
    about: 'the model has a revocation of a grant that is valid',
    changes: [],
    command: soak('--plant', 'revocation'),
    report: 'ended by a planted revocation',
  },
  {
    name: 'model: an invoice',
    about: 'the model has an invoice that was never issued',
    changes: [],
    command: soak('--plant', 'invoice'),
    report: 'lost: order 2000-000001',
  },
  {
    name: 'compare-and-set of rows',
    about: '`If-Match` of every version is accepted',
    changes: [
      {
        file: 'src/engine/write/preconditions.ts',
        from: 'if (precondition.includes(version)) return',
        to: 'return',
      },
    ],
    command: soak(),
    report: 'changes with one If-Match succeeded',
  },
  {
    name: 'compare-and-set of refresh tokens',
    about: 'a used refresh token is exchanged again',
    changes: [
      {
        file: 'src/identity/oidc/adapter.ts',
        from: 'if (found.consumedAt) payload.consumed =',
        to: "if (found.consumedAt && model !== 'RefreshToken') payload.consumed =",
      },
      {
        file: 'src/identity/oidc/adapter.ts',
        from: "const usedOnce: ReadonlySet<string> = new Set(['AuthorizationCode', 'RefreshToken'])",
        to: "const usedOnce: ReadonlySet<string> = new Set(['AuthorizationCode'])",
      },
      {
        file: 'src/identity/tokens/redeemArtifacts.ts',
        from: ' AND consumed_at IS NULL AND expires_at > now()',
        to: ' AND expires_at > now()',
      },
    ],
    command: soak(),
    report: 'twice: a refresh token was exchanged for two pairs',
  },
  {
    name: 'Idempotency-Key',
    about: 'responses are not stored under their key',
    changes: [
      {
        file: 'src/database/tables/idempotency.ts',
        from: 'response: StoredResponse): Promise<void> {\n  await db',
        to: 'response: StoredResponse): Promise<void> {\n  if (Date.now() > 0) return\n  await db',
      },
    ],
    command: soak(),
    report: 'a repeated key created',
  },
  {
    name: 'limit of sign-ins',
    about: 'failed sign-ins do not count by account and network',
    changes: [
      {
        file: 'src/operate/compose/signInLimits.ts',
        from: 'policy: policies.perAccountAndNetwork,',
        to: 'policy: { ...policies.perAccountAndNetwork, requests: 1e9 },',
      },
    ],
    command: vitest('test/security/signInLimits.test.ts'),
    report: 'are limited by account and network',
  },
  {
    name: 'limit of bodies',
    about: 'a chunked body has no limit',
    changes: [{ file: 'src/base/http/readBody.ts', from: 'if (received > limitBytes) throw tooLarge()', to: '' }],
    command: vitest('test/base/http/readBody.test.ts'),
    report: 'a chunked body, which names no length, has the same limit as any other',
  },
  {
    name: 'redaction of log members',
    about: '`code_verifier` and `client_secret` are logged',
    changes: [{ file: 'src/base/log/logMembers.ts', from: "  'code_verifier',\n  'client_secret',\n", to: '' }],
    command: vitest('test/base/log.test.ts'),
    report: 'test/base/log.test.ts >',
  },
  {
    name: 'redaction of paths',
    about: 'the secret address of a calendar is logged',
    changes: [
      {
        file: 'src/operate/compose/pipeline.ts',
        from: '(path) => withoutCalendarToken(withoutInteractionId(path))',
        to: '(path) => withoutInteractionId(path)',
      },
    ],
    command: vitest('test/security/issuedSecrets.test.ts', '-t', 'the log at level trace'),
    report: 'the log at level trace contains none of them',
  },
  {
    name: 'index of a search',
    about: 'the search for courses has no index',
    changes: [
      {
        file: 'prisma/migrations/20261122004500_search/migration.sql',
        from: 'CREATE INDEX "course_search" ON "course" USING gin ("title" gin_trgm_ops, "subtitle" gin_trgm_ops, "slug" gin_trgm_ops);\n',
        to: '',
      },
    ],
    command: vitest('test/engine/keyset.test.ts'),
    report: 'Bitmap Index Scan on course_search',
  },
]
