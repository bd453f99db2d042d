import type { Expected } from '../../agents/documentChecks.ts'
import { createSelfCheck, type SelfCheck } from '../../agents/selfCheck.ts'
import type { Fetch } from '../../base/http/inProcess.ts'
import type { Config } from '../../config/load.ts'
import type { ScopeEntry } from '../../engine/declare/area.ts'
import { metadataPaths } from '../../identity/oidc/metadata.ts'
import type { Foundation } from './foundation.ts'

export function createSchoolSelfCheck(
  { runtime, scopes, texts, log }: Pick<Foundation, 'runtime' | 'scopes' | 'texts' | 'log'>,
  ask: Fetch,
): SelfCheck {
  let alteredTexts: readonly string[] | undefined

  return createSelfCheck({
    ask,
    schools: () => runtime.schools.all.map(({ school }) => school),
    expected({ issuer }) {
      alteredTexts ??= texts.altered()
      return { ...expectedOf(issuer, runtime.config, scopes), isBrief: true, alteredTexts }
    },
    report({ slug: school }, { state, problems, milliseconds, retrySeconds: retry_in_seconds }) {
      if (state === 'passed') log.info({ school, milliseconds }, 'self-check passed')
      else if (state === 'failed') log.error({ school, milliseconds, problems, retry_in_seconds }, 'self-check failed')
      else log.warn({ school, milliseconds, problems, retry_in_seconds }, 'self-check got no response, retrying')
    },
  })
}

/** Returns what the documents of an issuer must contain by the configuration. */
export function expectedOf(issuer: string, { oauth }: Config, scopes: readonly ScopeEntry[]): Expected {
  return {
    issuer,
    scopes: scopes.map(({ name }) => name),
    baselineScopes: oauth.baseline_scopes,
    metadataPaths,
    isRegistrationOpen: oauth.registration.enabled,
  }
}
