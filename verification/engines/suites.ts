/** The suites that `npm run test:engines` runs on every engine of their store. */

/** Suites of what the service keeps in Redis. */
const ofRedis = [
  'test/identity/oidc/races.test.ts',
  'test/identity/oidc/operations.test.ts',
  'test/identity/oidc/refresh.test.ts',
  'test/identity/oidc/revocation.test.ts',
  'test/identity/oidc/token.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/interactions.test.ts',
  'test/security/signOut.test.ts',
  'test/security/brokenRequests.test.ts',
  'test/pages/account/signIn.test.ts',
  'test/pages/account/stores.test.ts',
  'test/pages/flow.test.ts',
  'test/school/rateLimits.test.ts',
  'test/database/artifacts.test.ts',
  'test/database/artifactsRedeem.test.ts',
  'test/database/rateLimits.test.ts',
  'test/database/attemptLimits.test.ts',
]

/** Suites of what the service keeps in PostgreSQL. */
const ofPostgresql = [
  'test/identity/oidc/races.test.ts',
  'test/identity/oidc/operations.test.ts',
  'test/identity/oidc/refresh.test.ts',
  'test/identity/oidc/revocation.test.ts',
  'test/identity/oidc/token.test.ts',
  'test/identity/oidc/crash.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/currentFacts.test.ts',
  'test/pages/account/signIn.test.ts',
  'test/pages/flow.test.ts',
  'test/school/writes.test.ts',
  'test/school/edges.test.ts',
  'test/school/events.test.ts',
  'test/school/intake/intake.test.ts',
  'test/operate/jobs',
  'test/database/database.test.ts',
  'test/database/migrate.test.ts',
  'test/database/artifacts.test.ts',
  'test/database/artifactsRedeem.test.ts',
  'test/database/factGuard.test.ts',
  'test/operate/cli/schoolsOnServers.test.ts',
  'test/operate/cli/endedGrants.test.ts',
]

/** Suites whose requests together use every statement and every key of the request pipeline. */
const ofRequests = [
  'test/school',
  'test/pages/account',
  'test/agents',
  'test/engine/mcp',
  'test/identity/oidc/authorization.test.ts',
  'test/identity/oidc/clientDocuments.test.ts',
  'test/identity/oidc/documentClients.test.ts',
  'test/identity/oidc/refresh.test.ts',
  'test/identity/oidc/registration.test.ts',
  'test/identity/oidc/revocation.test.ts',
  'test/identity/oidc/silentAuthorization.test.ts',
  'test/identity/oidc/token.test.ts',
  'test/pages',
  'test/school/intake',
  'test/security/brokenRequests.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/signOut.test.ts',
]

export const suites = { ofRedis, ofPostgresql, ofRequests } as const
