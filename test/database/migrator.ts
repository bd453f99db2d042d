/** A process that applies the migrations of argv[3] to the database at argv[2] and prints their names. */
import { tmpdir } from 'node:os'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'

const [databaseUrl = '', directory = ''] = process.argv.slice(2)
const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir() })
process.stdout.write(JSON.stringify(await migrate(database, directory)))
await database.close()
