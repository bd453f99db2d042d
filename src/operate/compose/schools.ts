import { type School, type SchoolDirectory, schoolDirectory } from '../../base/school.ts'
import type { Config } from '../../config/load.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { SchoolConfig } from '../../config/schools.ts'
import type { Database } from '../../database/connection/database.ts'
import { ensureAppearances } from '../../database/tables/appearance.ts'
import { listConfiguredClients } from '../../database/tables/clients.ts'
import { ensureSchools } from '../../database/tables/schools.ts'
import type { Stores } from '../../identity/oidc/stores.ts'
import { syncDocumentClients } from '../../identity/oidc/syncDocumentClients.ts'
import { type IntegrationChanges, syncIntegrations } from '../../identity/oidc/syncIntegrations.ts'
import { initialThemeSettings } from '../../school/settings/themes.ts'
import { documentRules, offeredApps } from './clients.ts'

export interface SchoolEntry {
  school: School
  config: SchoolConfig
}

/** Opens every school of the configuration, in a few statements whatever their number. A new file creates a school. */
export async function openSchools({ kysely }: Database, config: Config): Promise<SchoolDirectory<SchoolEntry>> {
  const ids = await ensureSchools(
    kysely,
    config.schools.map(({ slug, defaults }) => ({ slug, ...defaults })),
  )
  const entries = config.schools.map((school) => {
    const id = ids.get(school.slug)
    if (id === undefined) throw new Error(`school ${school.slug} has no row`)
    return { school: { id, slug: school.slug, issuer: school.issuer }, config: school }
  })
  await ensureAppearances(
    kysely,
    entries.map(({ school, config }) => ({ schoolId: school.id, look: initialThemeSettings(config.defaults.branding) })),
  )
  return schoolDirectory(entries)
}

/**
 * Updates the clients of every school: the integrations from its file, and the clients of metadata documents from the trusted hosts.
 * Returns the changes of the integrations by school.
 */
export async function syncAllClients(
  stores: Stores,
  { all }: SchoolDirectory<SchoolEntry>,
  oauth: OAuthConfig,
): Promise<Record<string, IntegrationChanges>> {
  const known = await listConfiguredClients(
    stores.database,
    all.map(({ school, config }) => ({ schoolId: school.id, clientIds: config.integrations.map(({ client_id: id }) => id) })),
  )
  const changes: Record<string, IntegrationChanges> = {}
  for (const { school, config } of all) {
    const clients = known.get(school.id) ?? []
    const isAffected = clients.length > 0 || config.integrations.length > 0
    changes[school.slug] = isAffected ? await syncIntegrations(stores, school.id, config.integrations, clients) : { added: [], removed: [] }
  }
  await syncDocumentClients(
    stores,
    all.map(({ school }) => school.id),
    documentRules(
      oauth,
      offeredApps(oauth).map(({ clientId }) => clientId),
    ),
  )
  return changes
}
