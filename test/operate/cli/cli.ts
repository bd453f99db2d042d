import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Database } from '../../../src/database/connection/database.ts'
import { openDatabase } from '../../../src/database/connection/openDatabase.ts'
import { createRedis } from '../../../src/database/redis/redis.ts'
import { saveBelow } from '../../../src/operate/cli/commandLine.ts'
import { runCli } from '../../../src/operate/cli/program.ts'
import type { Terminal } from '../../../src/operate/cli/terminal.ts'
import { availableServices, embeddedDatabase, throwawayPostgres } from '../../support/databases.ts'
import { rootSecret, type ServiceOptions, startService, type TestService } from '../../support/service.ts'

export interface Outcome {
  exitCode: number
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  json(): any
}

/** The operator's input while a command runs. Without `answers` there is no terminal. */
export interface Operator {
  answers?: string[]
  secrets?: string[]
  input?: string
}

export type Cli = (args: string[], operator?: Operator) => Promise<Outcome>

export interface CliOptions {
  variables: Record<string, string>
  database?: Database | undefined
  /** Ends commands that run until they are stopped. */
  signal?: AbortSignal
  /** Called with each part of the output. */
  out?: (text: string) => void
}

/** The program in this process, with a terminal that only remembers. */
export function createCli({ variables, database, signal, out }: CliOptions): Cli {
  return async (args, { answers, secrets, input = '' } = {}) => {
    const printed = { out: '', err: '' }
    const next = (list: string[] | undefined): Promise<string> => {
      const answer = list?.shift()
      return answer === undefined ? Promise.reject(new Error('no more answers are scripted')) : Promise.resolve(answer)
    }
    const terminal: Terminal = {
      out(text) {
        printed.out += text
        out?.(text)
      },
      err(text) {
        printed.err += text
      },
      isInteractive: answers !== undefined || secrets !== undefined,
      ask: (question) => {
        printed.err += question
        return next(answers)
      },
      askSecretly: (question) => {
        printed.err += question
        return next(secrets)
      },
      readInput: () => Promise.resolve(input),
      save: saveBelow,
    }
    const exitCode = await runCli(args, { terminal, variables, userName: 'ops', database, signal })
    return { exitCode, ...printed, json: () => JSON.parse(printed.out) }
  }
}

export interface Place {
  service: TestService
  cli: Cli
  /** The options of the program, for another one. */
  options: CliOptions
  /** The configuration directory that the program reads. */
  config: string
  stop(): Promise<void>
}

export interface PlaceOptions {
  schools?: 1 | 2
  /** More options of the service. The program reads the default configuration. */
  service?: Pick<ServiceOptions, 'network' | 'oauth' | 'storage'>
}

/**
 * Returns the places to test: a running service and the program next to it. With servers the program opens its own connections, as in
 * production. Without servers, and with TEST_DATABASES=both, both share the embedded database.
 */
export async function placesToTest(): Promise<{ name: string; open(options?: PlaceOptions): Promise<Place> }[]> {
  const { postgresql, redis } = await availableServices()
  const embedded = { name: 'embedded', open: openEmbeddedPlace }
  if (!postgresql || !redis) return [embedded]
  const servers = { name: 'PostgreSQL and Redis', open: openServerPlace }
  return process.env.TEST_DATABASES === 'both' ? [embedded, servers] : [servers]
}

async function openEmbeddedPlace({ schools = 1, service: more }: PlaceOptions = {}): Promise<Place> {
  const database = await embeddedDatabase()
  const service = await startService({ ...more, database, schools })
  const directory = await configFor(service, schools)
  const options = { variables: { CONFIG_DIR: directory, DATA_DIR: directory, SECRET_KEY: rootSecret }, database }
  return {
    service,
    config: directory,
    options,
    cli: createCli(options),
    async stop() {
      await service.stop()
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}

async function openServerPlace({ schools = 1, service: more }: PlaceOptions = {}): Promise<Place> {
  const { url, drop } = await throwawayPostgres()
  const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
  const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 5 })
  const redis = createRedis(redisUrl, { onError: () => undefined })
  await redis.connect()
  const service = await startService({ ...more, database, redis, schools })
  const directory = await configFor(service, schools)
  const variables = { CONFIG_DIR: directory, DATA_DIR: directory, SECRET_KEY: rootSecret, DATABASE_URL: url, REDIS_URL: redisUrl }
  return {
    service,
    config: directory,
    options: { variables },
    cli: createCli({ variables }),
    async stop() {
      const ids = service.app.schools.all.map(({ school }) => school.id)
      await service.stop()
      for (const id of ids) {
        const keys = await redis.client.keys(`sg:{${id}}:*`)
        if (keys.length > 0) await redis.client.del(...keys)
      }
      await redis.close()
      await database.close()
      await drop()
      await rm(directory, { recursive: true })
    },
  }
}

/** The configuration of the service as the program reads it. */
async function configFor(service: TestService, schools: 1 | 2): Promise<string> {
  const files: Record<string, string> = { 'schools/first.yaml': schoolFile(service.issuer, 'First School') }
  if (schools === 2) files['schools/second.yaml'] = schoolFile(service.other, 'Second School')
  return writeConfig(files)
}

export const schoolFile = (issuer: string, name: string): string =>
  stringify({ issuer, docs_url: 'https://docs.example.com', defaults: { name, locale: 'en', time_zone: 'UTC', currency: 'EUR' } })

/** A new configuration directory with these files. */
export async function writeConfig(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-cli-'))
  await mkdir(join(directory, 'schools'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  return directory
}

/** Returns the operators' events in the audit trail, oldest first. */
export async function operatorEvents(service: TestService): Promise<{ event: string; details: Record<string, unknown> }[]> {
  return service.database.sql.query("SELECT event, details FROM audit_log WHERE event LIKE 'operator.%' ORDER BY id")
}
