import type { SchoolConfig } from '../../config/schools.ts'
import { usage } from './failures.ts'

/** Returns the configured school with this slug, or the only one. */
export function chooseSchool(schools: readonly SchoolConfig[], slug: string | undefined): SchoolConfig {
  const slugs = schools.map((school) => school.slug).join(', ')
  if (slug === undefined && schools.length > 1) throw usage(`--school is required with several schools: choose one of ${slugs}`)
  const found = slug === undefined ? schools[0] : schools.find((school) => school.slug === slug)
  if (!found) throw usage(`school ${slug} is not configured; configured schools: ${slugs}`)
  return found
}
