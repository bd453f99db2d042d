import { tmpdir } from 'node:os'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { addPerson, type NewPerson } from './service.ts'

/** Adds a person to the school of a process that has started with this database. The demo school, which takes 2 s, is then not needed. */
export async function addPersonTo(databaseUrl: string, { email, role = 'learner' }: NewPerson): Promise<void> {
  const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
  try {
    const { id } = await database.kysely.selectFrom('school').select('id').executeTakeFirstOrThrow()
    await addPerson(database, id, email, role)
  } finally {
    await database.close()
  }
}
