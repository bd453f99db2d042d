import { hostname, userInfo } from 'node:os'
import type { Keyring } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import { isConfigError } from '../../config/configErrors.ts'
import type { Environment } from '../../config/environment.ts'
import { changedSettings, type Fingerprint, fingerprintOf, type Settings } from '../../config/fingerprint.ts'
import { readPlatformKeys } from '../../config/secrets.ts'
import type { Database } from '../../database/connection/database.ts'
import { readConfiguration, replaceConfiguration } from '../../database/migrations/installation.ts'
import { type AuditEntry, recordAudit } from '../../database/tables/audit.ts'
import type { App } from '../compose/app.ts'
import { countEvent } from '../metrics/metrics.ts'

export type ConfigurationTrigger = 'start' | 'signal' | 'command'

export interface ConfigurationState {
  summary(): Record<string, unknown>
  applied(trigger: ConfigurationTrigger): Promise<void>
  /** Records that a reload failed. The process runs the former configuration. */
  rejected(trigger: ConfigurationTrigger, error: unknown): Promise<void>
}

export interface Reloadable {
  app: App
  database: Database
  configuration: ConfigurationState
}

export interface ConfigurationArguments {
  app: App
  database: Database
  /** The environment of the start, which a reload does not change. */
  environment: Environment
  keyring: Keyring
  log: Log
}

/** Most keys that an entry of the audit trail names. */
const maxKeys = 100

/** Compares the configuration of this process with the one that was stored last, and shows it in readiness, metrics and the audit trail. */
export function createConfigurationState({ app, database, environment, keyring, log }: ConfigurationArguments): ConfigurationState {
  const variables: Environment = { ...environment, PLATFORM_KEY: [...readPlatformKeys(environment)] }
  const settings = (): Settings => ({ config: app.config, environment: variables, keys: keyring.keys('configuration') })
  const { kysely } = database.lane('background')
  let current: Fingerprint = fingerprintOf(settings())
  let appliedAt = new Date()
  let lastReload: { at: string; outcome: 'applied' | 'failed' } | undefined
  const countReload = (trigger: ConfigurationTrigger, outcome: 'applied' | 'failed'): void => {
    if (trigger === 'start') return
    lastReload = { at: new Date().toISOString(), outcome }
    app.metrics.add('schoolgate_configuration_reloads_total', { outcome })
  }
  app.metrics.begin('schoolgate_configuration_reloads_total', [{ outcome: 'applied' }, { outcome: 'failed' }])
  app.metrics.collect((set) => {
    set('schoolgate_configuration_info', { hash: current.hash }, 1)
    set('schoolgate_configuration_reload_failed', {}, Number(lastReload?.outcome === 'failed'))
  })

  /** Returns an entry for every school, without the keys of other schools. */
  const entries = (changed: readonly string[], details: Record<string, unknown>): AuditEntry[] =>
    app.schools.all.flatMap(({ school: { id, slug } }): AuditEntry[] => {
      const keys = changed.filter((key) => !key.startsWith('schools.') || key.startsWith(`schools.${slug}.`))
      if (keys.length === 0) return []
      const named = { keys: keys.slice(0, maxKeys), ...(keys.length > maxKeys && { more_keys: keys.length - maxKeys }) }
      return [{ school_id: id, event: 'configuration.changed', details: { ...details, ...named } }]
    })
  const origin = (trigger: ConfigurationTrigger) => ({ hash: current.hash, trigger, process: processName() })

  const store = async (trigger: ConfigurationTrigger): Promise<void> => {
    const before = await readConfiguration(kysely)
    if (before && isEqual(before, current.digests)) return
    const { digests } = current
    const changed = await database.lane('background').transaction(async (writer) => {
      const former = await replaceConfiguration(writer, digests)
      const keys = former ? changedSettings(former, settings()) : []
      const written = entries(keys, origin(trigger))
      await recordAudit(writer, written)
      for (const { event } of written) countEvent(app.metrics, event)
      return keys
    })
    if (changed.length > 0) log.info({ hash: current.hash, changed, trigger }, 'configuration differs from the one that ran before')
  }

  return {
    summary: () => ({ hash: current.hash, since: appliedAt.toISOString(), ...(lastReload && { last_reload: lastReload }) }),
    async applied(trigger) {
      current = fingerprintOf(settings())
      appliedAt = new Date()
      countReload(trigger, 'applied')
      await store(trigger).catch((error: unknown) => log.warn({ err: error }, 'change of the configuration not recorded'))
    },
    async rejected(trigger, error) {
      countReload(trigger, 'failed')
      const errors = isConfigError(error) ? error.issues.length : 1
      const rejected = app.schools.all.map(
        ({ school }): AuditEntry => ({ school_id: school.id, event: 'configuration.rejected', details: { ...origin(trigger), errors } }),
      )
      for (const { event } of rejected) countEvent(app.metrics, event)
      await recordAudit(kysely, rejected).catch((cause: unknown) => log.warn({ err: cause }, 'failed reload not recorded'))
    },
  }
}

function isEqual(stored: Readonly<Record<string, unknown>>, digests: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(digests)
  return keys.length === Object.keys(stored).length && keys.every((key) => stored[key] === digests[key])
}

/** Returns the user who runs the service, and the machine: `schoolgate@web-2`. */
function processName(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // In a container the user id may not have a name.
    return hostname()
  }
}
