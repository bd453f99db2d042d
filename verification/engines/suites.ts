/** The suites that `npm run test:engines` runs on every engine of their store. */

/** Suites of what the service keeps in Redis. */
const ofRedis = [
  'test/oidc/races.test.ts',
  'test/oidc/operations.test.ts',
  'test/oidc/refresh.test.ts',
  'test/oidc/revocation.test.ts',
  'test/oidc/token.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/interactions.test.ts',
  'test/security/signOut.test.ts',
  'test/security/answeredOnce.test.ts',
  'test/account/signIn.test.ts',
  'test/account/stores.test.ts',
  'test/pages/flow.test.ts',
  'test/api/rateLimits.test.ts',
  'test/store/artifacts.test.ts',
  'test/store/artifactsRedeem.test.ts',
  'test/store/rateLimits.test.ts',
  'test/store/attemptLimits.test.ts',
]

/** Suites of what the service keeps in PostgreSQL. */
const ofPostgresql = [
  'test/oidc/races.test.ts',
  'test/oidc/operations.test.ts',
  'test/oidc/refresh.test.ts',
  'test/oidc/revocation.test.ts',
  'test/oidc/token.test.ts',
  'test/oidc/crash.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/currentFacts.test.ts',
  'test/account/signIn.test.ts',
  'test/pages/flow.test.ts',
  'test/api/writes.test.ts',
  'test/api/edges.test.ts',
  'test/api/events.states.test.ts',
  'test/platform/intake.test.ts',
  'test/jobs',
  'test/store/database.test.ts',
  'test/store/migrate.test.ts',
  'test/store/artifacts.test.ts',
  'test/store/artifactsRedeem.test.ts',
  'test/store/factGuard.test.ts',
  'test/cli/schoolsOnServers.test.ts',
  'test/cli/endedGrants.test.ts',
]

/** Suites whose requests together use every statement and every key of the request pipeline. */
const ofRequests = [
  'test/api',
  'test/account',
  'test/agents',
  'test/mcp',
  'test/oidc/authorization.test.ts',
  'test/oidc/clientDocuments.test.ts',
  'test/oidc/documentClients.test.ts',
  'test/oidc/refresh.test.ts',
  'test/oidc/registration.test.ts',
  'test/oidc/revocation.test.ts',
  'test/oidc/silentAuthorization.test.ts',
  'test/oidc/token.test.ts',
  'test/pages',
  'test/platform',
  'test/security/brokenRequests.test.ts',
  'test/security/endedGrants.test.ts',
  'test/security/signOut.test.ts',
]

export const suites = { ofRedis, ofPostgresql, ofRequests } as const
