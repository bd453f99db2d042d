/** A process that applies the migrations of argv[3] to the database at argv[2] and prints their names. */
import { tmpdir } from 'node:os'
import { migrate } from '../../src/store/migrate.ts'
import { openDatabase } from '../../src/store/openDatabase.ts'

const [databaseUrl = '', directory = ''] = process.argv.slice(2)
const database = await openDatabase({ databaseUrl, dataDirectory: tmpdir() })
process.stdout.write(JSON.stringify(await migrate(database, directory)))
await database.close()
