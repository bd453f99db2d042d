import { operationsIn, resources } from '../../src/school/index.ts'
import { openMigrated, readStructure } from './migratedDatabase.ts'
import { renderDatabase } from './renderDatabase.ts'
import { renderQueries } from './renderQueries.ts'
import { renderResource, renderResourceIndex, sortsWithoutIndex } from './renderResource.ts'

/** The document and the folders that contain nothing else. */
export const placesFromDatabase = ['docs/database.md', 'docs/resources', 'test/queries']

/** Returns the documents that need a migrated database, by path. */
export async function documentsFromDatabase(): Promise<Map<string, string>> {
  const operations = operationsIn(resources)
  const declared = [...new Set(operations.map(({ resource }) => resource))]
  const database = await openMigrated()
  try {
    const structure = await readStructure(database)
    const tables = new Map(structure.tables.map((table) => [table.name, table]))
    const documents = new Map([
      ['docs/database.md', renderDatabase(structure)],
      ['docs/resources/README.md', renderResourceIndex(declared, operations)],
    ])
    const queries = await renderQueries(operations, database)
    const missing = declared.flatMap((resource) => {
      const table = tables.get(resource.table)
      return table ? sortsWithoutIndex(resource, table) : []
    })
    if (missing.length > 0) throw new Error(missing.join('\n'))
    for (const resource of declared) {
      const table = tables.get(resource.table)
      if (!table) throw new Error(`there is no table ${resource.table}: run npm run migration -- <name>`)
      const own = operations.filter((one) => one.resource === resource)
      documents.set(`docs/resources/${resource.name}.md`, renderResource(resource, own, table, queries.has(resource.name)))
    }
    for (const [name, text] of queries) documents.set(`test/queries/${name}.sql`, text)
    return documents
  } finally {
    await database.close()
  }
}
