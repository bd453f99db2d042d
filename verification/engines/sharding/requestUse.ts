import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { prepareDatabases, throwawayPostgres } from '../../../test/support/databases.ts'
import type { RunningEngine } from '../engines.ts'
import { problemsOfKeys, problemsOfStatements } from './leadsWithSchool.ts'

/** Fewer, of all suites or of some, would mean that the recording is broken. */
const fewest = { all: { statements: 1000, keys: 200 }, some: { statements: 20, keys: 1 } }

/** Records what the requests of the suites ask of the stores, and judges it at the end. */
export async function recordRequestUse({ isPartial }: { isPartial: boolean }): Promise<RunningEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-use-'))
  const file = join(directory, 'use.ndjson')
  await writeFile(file, '')
  const recorder = join(import.meta.dirname, 'recordToFile.ts')
  return {
    environment: { STORE_USE_FILE: file, NODE_OPTIONS: `--import=${recorder}` },
    async problems() {
      const statements = new Map<string, readonly unknown[]>()
      const keys = new Map<string, string>()
      for (const line of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
        const { text, values, key, command } = JSON.parse(line)
        if (text !== undefined) statements.set(text, values)
        else keys.set(key, command)
      }
      process.stdout.write(`${statements.size} statements, ${keys.size} keys\n`)
      const least = isPartial ? fewest.some : fewest.all
      const tooFew = statements.size < least.statements || keys.size < least.keys ? ['the suites recorded too little'] : []
      return [...tooFew, ...problemsOfKeys(keys), ...(await problemsOnDatabase(statements))]
    },
    stop: () => rm(directory, { recursive: true, force: true }),
  }
}

async function problemsOnDatabase(statements: ReadonlyMap<string, readonly unknown[]>): Promise<string[]> {
  const end = await prepareDatabases()
  const { url } = await throwawayPostgres()
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await problemsOfStatements(client, statements)
  } finally {
    await client.end()
    await end()
  }
}
