/** A process that writes rows to the embedded database in argv[2] for ever, and prints the number of each row that was acknowledged. */
import { openDatabase } from '../../src/database/connection/openDatabase.ts'

const database = await openDatabase({ dataDirectory: process.argv[2] as string })
await database.sql.query('CREATE TABLE IF NOT EXISTS written (number int PRIMARY KEY)')
const [row] = await database.sql.query<{ last: number }>('SELECT coalesce(max(number), 0) AS last FROM written')
process.stdout.write('open\n')
for (let number = (row?.last ?? 0) + 1; ; number += 2) {
  await database.sql.query('INSERT INTO written VALUES ($1)', [number])
  process.stdout.write(`${number}\n`)
  await database.transaction((_, sql) => sql.query('INSERT INTO written VALUES ($1)', [number + 1]))
  process.stdout.write(`${number + 1}\n`)
}
