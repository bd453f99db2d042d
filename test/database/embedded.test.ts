import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { embeddedDatabase } from '../support/databases.ts'
import { until } from '../support/poll.ts'

test('timers fire while queries and transactions are chained', async () => {
  const database = await embeddedDatabase()
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 5)
  for (const one of [
    () => database.sql.query('SELECT 1'),
    () => database.kysely.selectFrom('school').select('id').execute(),
    () => database.transaction((_, sql) => sql.query('SELECT 1')),
  ]) {
    ticks = 0
    const end = performance.now() + 3000
    while (ticks < 10 && performance.now() < end) await one()
    expect(ticks).toBe(10)
  }
  clearInterval(timer)
  await database.close()
})

describe('the embedded database in a directory', () => {
  let dataDirectory: string
  let writers: ChildProcess[]
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'schoolgate-embedded-'))
    writers = []
  })
  afterEach(async () => {
    for (const writer of writers) await kill(writer)
    await rm(dataDirectory, { recursive: true, force: true })
  })

  /** A writer, and the number that it last had acknowledged. */
  function write() {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'embeddedWriter.ts'), dataDirectory], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    writers.push(child)
    const lines = ['']
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [first = '', ...rest] = text.split('\n')
      lines.push(`${lines.pop()}${first}`, ...rest)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    // The text after the last line end may be half a number.
    return { child, acknowledged: () => Number(lines.at(-2) ?? 0) || 0, isOpen: () => lines[0] === 'open', errors: () => errors }
  }

  test('loses no acknowledged row when its process is killed', async () => {
    let acknowledged = 0
    for (let round = 0; round < 4; round += 1) {
      const writer = write()
      const goal = acknowledged + 30 + 37 * round
      await until(() => writer.acknowledged() > goal, { what: `row ${goal} is written; ${writer.errors()}` })
      await kill(writer.child)
      acknowledged = writer.acknowledged()
    }
    const database = await openDatabase({ dataDirectory })
    const [found] = await database.sql.query<{ rows: number; last: number }>(
      'SELECT count(*)::int AS rows, max(number) AS last FROM written',
    )
    expect(found?.last).toBeGreaterThanOrEqual(acknowledged)
    expect(found?.rows).toBe(found?.last)
    await database.close()
  })

  test('opens after its process was killed while it made the directory', async () => {
    const writer = write()
    await until(() => existsSync(join(dataDirectory, 'db')), { what: 'the directory is begun' })
    await kill(writer.child)
    expect(writer.isOpen()).toBe(false)
    const database = await openDatabase({ dataDirectory })
    await database.ping()
    await database.close()
  })

  test('refuses a second process, names the first and the way out, and opens when the first is gone', async () => {
    const writer = write()
    await until(() => writer.isOpen(), { what: 'the writer has it open' })
    const refused = openDatabase({ dataDirectory })
    await expect(refused).rejects.toThrow(new RegExp(`in use by process ${writer.child.pid} on .*DATABASE_URL`))
    await kill(writer.child)
    const database = await openDatabase({ dataDirectory })
    await expect(openDatabase({ dataDirectory: `${dataDirectory}/./` })).rejects.toThrow(`in use by process ${process.pid}`)
    await database.close()
    const again = await openDatabase({ dataDirectory })
    await again.close()
  })

  test('lets a process end by itself once it is closed', async () => {
    const program = `import { openDatabase } from '${join(import.meta.dirname, '../../src/database/connection/openDatabase.ts')}'
      const database = await openDatabase({ dataDirectory: process.argv[1] })
      await (await database.prisma()).$queryRaw\`SELECT 1\`
      await database.close()`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, dataDirectory], { stdio: 'inherit' })
    writers.push(child)
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'close')
  child.kill('SIGKILL')
  await gone
}
