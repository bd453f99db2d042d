import type { Config } from '../config/load.ts'
import type { SchoolConfig } from '../config/schools.ts'
import { initialThemeSettings } from '../domain/school/themes.ts'
import type { Stores } from '../oidc/stores.ts'
import { type IntegrationChanges, syncIntegrations } from '../oidc/syncIntegrations.ts'
import type { School } from '../policy/school.ts'
import { type SchoolDirectory, schoolDirectory } from '../policy/schoolDirectory.ts'
import { ensureAppearance } from '../store/appearance.ts'
import type { Database } from '../store/database.ts'
import { ensureSchool } from '../store/schools.ts'

export interface SchoolEntry {
  school: School
  config: SchoolConfig
}

/** Opens every school of the configuration. A new file creates a school. */
export async function openSchools(database: Database, config: Config): Promise<SchoolDirectory<SchoolEntry>> {
  const entries: SchoolEntry[] = []
  for (const school of config.schools) {
    const id = await ensureSchool(database.kysely, { slug: school.slug, ...school.defaults })
    await ensureAppearance(database.kysely, id, initialThemeSettings(school.defaults.branding))
    entries.push({ school: { id, slug: school.slug, issuer: school.issuer }, config: school })
  }
  return schoolDirectory(entries)
}

/** Updates the registered integrations of every school from its file. Returns the changes by school. */
export async function syncAllIntegrations(
  stores: Stores,
  schools: SchoolDirectory<SchoolEntry>,
): Promise<Record<string, IntegrationChanges>> {
  const changes: Record<string, IntegrationChanges> = {}
  for (const { school, config } of schools.all) changes[school.slug] = await syncIntegrations(stores, school.id, config.integrations)
  return changes
}
