import type { WatchedOperations } from '../../database/tables/findSignals.ts'
import { isWrite } from '../../engine/write/dryRun.ts'
import { resources, scopeCatalogue, serviceOperations } from '../../school/index.ts'

/** Returns what the search for unusual apps must know of the API. */
export function watchedOperations(): WatchedOperations {
  const operations = serviceOperations
  const aboutPeople = new Set(
    scopeCatalogue(resources)
      .filter(({ othersData }) => othersData.length > 0)
      .map(({ name }) => name),
  )
  return {
    people: operations.filter(({ scope }) => aboutPeople.has(scope)).map(({ id }) => id),
    writes: operations.filter(isWrite).map(({ id, scope }) => ({ operation: id, scope })),
  }
}
