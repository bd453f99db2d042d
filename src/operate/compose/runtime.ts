import type { School, SchoolDirectory } from '../../base/school.ts'
import type { Config } from '../../config/load.ts'
import type { SchoolConfig } from '../../config/schools.ts'
import type { SchoolEntry } from './schools.ts'

/** The state that a reload replaces. Everything that can change while the service runs is read from here at the time of use. */
export interface Runtime {
  config: Config
  schools: SchoolDirectory<SchoolEntry>
}

export const schoolConfigOf = (runtime: Runtime, { id }: Pick<School, 'id'>): SchoolConfig => runtime.schools.byId(id).config
