import type { Expected } from '../agents/documentChecks.ts'
import { createSelfCheck, type SelfCheck } from '../agents/selfCheck.ts'
import type { Config } from '../config/load.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import type { Ask } from '../http/inProcess.ts'
import type { Log } from '../lib/log.ts'
import { metadataPaths } from '../oidc/metadata.ts'
import type { School } from '../policy/school.ts'

export interface SchoolSelfCheckArguments {
  /** Sends a request to the service itself. */
  ask: Ask
  config(): Config
  schools(): readonly School[]
  scopes: readonly ScopeEntry[]
  log: Log
}

/** The self-check of every school, reported in the log. */
export function createSchoolSelfCheck({ ask, config, schools, scopes, log }: SchoolSelfCheckArguments): SelfCheck {
  return createSelfCheck({
    ask,
    schools,
    expected: ({ issuer }) => expectedOf(issuer, config(), scopes),
    report({ slug: school }, { state, problems, milliseconds, retrySeconds: retry_in_seconds }) {
      if (state === 'passed') log.info({ school, milliseconds }, 'self-check passed')
      else if (state === 'failed') log.error({ school, milliseconds, problems, retry_in_seconds }, 'self-check failed')
      else log.warn({ school, milliseconds, problems, retry_in_seconds }, 'self-check got no response and is repeated')
    },
  })
}

/** What the configuration says that the documents of an issuer must contain. */
export function expectedOf(issuer: string, { oauth }: Config, scopes: readonly ScopeEntry[]): Expected {
  return {
    issuer,
    scopes: scopes.map(({ name }) => name),
    baselineScopes: oauth.baseline_scopes,
    metadataPaths,
    isRegistrationOpen: oauth.registration.enabled,
  }
}
