import { paths } from '../../agents/schoolFacts.ts'
import type { Metrics } from '../../base/http/metrics.ts'
import { createOriginPolicy, type OriginPolicy } from '../../base/http/originPolicy.ts'
import { createLoopWatch, type LoopWatch } from '../../base/process/loopWatch.ts'
import type { School } from '../../base/school.ts'
import type { Language } from '../../base/text/languages.ts'
import type { Database, DatabaseOf } from '../../database/connection/database.ts'
import { createStatementCache, type StatementCache } from '../../database/connection/statementCache.ts'
import { type ContentVersions, createContentVersions } from '../../database/facts/contentVersions.ts'
import { keptSeconds } from '../../database/facts/factGuard.ts'
import { type KeptContent, keepContent } from '../../database/facts/keptContent.ts'
import { redisMarkers } from '../../database/facts/redisMarkers.ts'
import { onRedisReply } from '../../database/redis/redisReplies.ts'
import { inSchool, schoolDatabase } from '../../database/school/inSchool.ts'
import { type AuditEntry, auditWriter } from '../../database/tables/audit.ts'
import { createGrantUses, type GrantUses } from '../../database/tables/grantUse.ts'
import { schoolBranding } from '../../database/tables/schools.ts'
import type { VisitorAnswers } from '../../engine/call.ts'
import { createRun } from '../../engine/createRun.ts'
import type { ScopeEntry } from '../../engine/declare/area.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { withRisks } from '../../engine/declare/scopeRisks.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { CursorSigner } from '../../engine/read/cursor.ts'
import { createRowTexts, type RowTexts } from '../../engine/read/rowTextStore.ts'
import { createVisitorAnswers } from '../../engine/read/visitorAnswers.ts'
import type { Run } from '../../engine/run.ts'
import type { Replay } from '../../engine/write/replay.ts'
import { findPerson } from '../../identity/accounts/findPerson.ts'
import { createPasswordGate } from '../../identity/accounts/passwordGate.ts'
import { type Grantable, grantableScopes } from '../../identity/apps/grantable.ts'
import type { FindPerson } from '../../identity/oidc/bearer.ts'
import { createExchanges, type Exchanges, oncePerRequest } from '../../identity/oidc/engineTransaction.ts'
import type { KeptFacts } from '../../identity/oidc/keptFacts.ts'
import type { Stores } from '../../identity/oidc/stores.ts'
import { createTokenChecks, type TokenChecks } from '../../identity/oidc/tokenChecks.ts'
import type { FindPageContext } from '../../pages/pageContext.ts'
import { resources, scopeCatalogue, serviceOperations } from '../../school/index.ts'
import { type PageBranding, pageBranding } from '../../school/settings/publicAppearance.ts'
import { countEvent, createServiceMetrics } from '../metrics/metrics.ts'
import { createStores } from '../serve/open.ts'
import type { AppArguments } from './appArguments.ts'
import { type CodeTexts, createCodeTexts } from './codeTexts.ts'
import { createKept } from './keptFacts.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createLimits, type Limits } from './rateLimits.ts'
import { type Runtime, schoolConfigOf } from './runtime.ts'

/** The parts that all others use. */
export interface Foundation extends BasicParts {
  externalServices: ExternalServices
  pageContext: FindPageContext
}

/** The parts that need no other. */
export interface BasicParts extends AppArguments {
  runtime: Runtime
  /** Returns the database of a school, with the connections of the API. */
  databaseOf: DatabaseOf
  /** Connections of the authorization server, so that requests of the API cannot use them up. */
  accounts: Database
  /** Connections of the jobs. */
  background: Database
  stores: Stores
  /** The rows that the authorization server keeps in memory. */
  kept: KeptFacts
  /** Checks of access tokens, over the connections of the API and of the authorization server. */
  tokenChecks: Record<'api' | 'authorization', TokenChecks>
  metrics: Metrics
  limits: Limits
  operations: readonly Operation[]
  texts: CodeTexts
  scopes: readonly ScopeEntry[]
  signer: CursorSigner
  statements: StatementCache
  contentVersions: ContentVersions
  visitorAnswers: VisitorAnswers
  rowTexts: RowTexts
  /** Counts the calls of apps. */
  grantUses: GrantUses
  /** Runs the operations of the API and of MCP. */
  run: Run
  replay: Replay
  /** The names of schools that this process has read. */
  schoolNames: KeptContent<string>
  outbox: Outbox
  /** Measures how long operations block the event loop. */
  loop: LoopWatch
  exchanges: Exchanges
  originPolicy: OriginPolicy
  branding(school: School): ReturnType<typeof schoolBranding>
  /** Returns what the pages of a school show of it, read once for each page. */
  pageBranding(school: Pick<School, 'id'>): Promise<PageBranding>
  languages(school: School): readonly Language[]
  grantable: Grantable
  recordAudit(entries: AuditEntry[]): Promise<void>
  /** Counts an audit entry that is written together with a change, and returns it. */
  counted(entry: AuditEntry): AuditEntry
}

export function createBasicParts(args: AppArguments, runtime: Runtime): BasicParts {
  const { caches, database, keyring, log, redis, config } = args
  const accounts = database.lane('authorization')
  if (redis) database.facts.useMarkers(redisMarkers({ redis: redis.client, log }))
  const stores = createStores({ database: accounts, redis, oauth: config.oauth, log })
  const keptOver = createKept({ caches, stores, guard: database.facts, redis })
  const kept = keptOver(accounts.kysely)
  const contentVersions = createContentVersions({ guard: database.facts, redis: redis?.client })
  const visitorAnswers = createVisitorAnswers({ versionOf: contentVersions.read, caches })
  const rowTexts = createRowTexts(caches)
  const schoolNames = keepContent(async (schoolId) => (await schoolBranding(inSchool(accounts.kysely, schoolId), schoolId)).name, {
    caches,
    name: 'school_names',
  })
  const statements = createStatementCache(caches)
  const brandings = keepContent((schoolId) => pageBranding(inSchool(accounts.kysely, schoolId), statements), {
    ...{ caches, name: 'school_brandings', keptMilliseconds: keptSeconds * 1000 },
  })
  // A change that was acknowledged while Redis could not be reached is not marked there.
  for (const content of [visitorAnswers, rowTexts, schoolNames, brandings])
    for (const event of ['close', '-node']) redis?.client.on(event, content.clear)
  const loop = createLoopWatch()
  database.facts.onAnswer(loop.resumed)
  if (redis) onRedisReply(redis.client, loop.resumed)
  const exchanges = createExchanges()
  const operations = serviceOperations
  const { run, replay } = createRun(operations, { visitorAnswers })
  const metrics = createServiceMetrics({ ...args, operations })
  const passwordGate = createPasswordGate({
    ...config.server.passwords,
    onRefused: () => metrics.add('schoolgate_password_checks_refused_total', {}),
  })
  metrics.collect((set) => {
    const { running, waiting } = passwordGate.state()
    set('schoolgate_password_checks_running', {}, running)
    set('schoolgate_password_checks_waiting', {}, waiting)
  })
  const scopes = withRisks(scopeCatalogue(resources), operations)
  const writeScopes = new Set(scopes.filter(({ verb }) => verb === 'write').map(({ name }) => name))
  const counted = (entry: AuditEntry): AuditEntry => {
    countEvent(metrics, entry.event)
    return entry
  }
  const writeAudit = auditWriter(accounts.sql)
  return {
    ...args,
    runtime,
    databaseOf: (schoolId) => schoolDatabase(database, schoolId, 'person'),
    accounts,
    background: database.lane('background'),
    stores,
    kept,
    tokenChecks: {
      api: createTokenChecks({ caches, stores, kept: keptOver(database.kysely) }),
      authorization: createTokenChecks({ caches, stores, kept }),
    },
    metrics,
    limits: createLimits({
      ...args,
      passwordGate,
      onRefused: (policy) => metrics.add('schoolgate_rate_limit_rejections_total', { policy }),
    }),
    operations,
    texts: createCodeTexts(operations, scopes),
    scopes,
    signer: {
      sign: (text) => keyring.sign('cursors', text),
      verify: (text, signature) => keyring.verify('cursors', text, signature),
    },
    statements,
    rowTexts,
    loop,
    contentVersions,
    visitorAnswers,
    grantUses: createGrantUses({ database: database.lane('background'), log }),
    run,
    replay,
    schoolNames,
    outbox: createOutbox({ database, keyring }),
    exchanges,
    originPolicy: createOriginPolicy({ allowedOrigins: config.server.cors.allowed_origins, guardedPath: paths.mcp }),
    branding: (school) => schoolBranding(inSchool(accounts.kysely, school.id), school.id),
    pageBranding: oncePerRequest(exchanges, ({ id }) => brandings.read(id, contentVersions.read(id))),
    languages: (school) => schoolConfigOf(runtime, school).languages,
    grantable: grantableScopes(
      () => runtime.config.roles,
      (scope) => writeScopes.has(scope),
    ),
    counted,
    async recordAudit(entries) {
      await writeAudit(entries.map(counted))
    },
  }
}

/** Returns how people are found in this database. */
export const personIn =
  ({ kysely }: Database): FindPerson =>
  (schoolId, accountId, grantId) =>
    findPerson(inSchool(kysely, schoolId), accountId, grantId)
