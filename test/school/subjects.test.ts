import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { resources } from '../../src/school/index.ts'
import { newForm } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { type Exceptions, exceptionsByFile, fileNameOf, isTestedElsewhere } from './derived/exceptions.ts'
import { statusesBefore, stepsTo } from './derived/stepsTo.ts'

const declared = resources.flatMap((one) => ('operations' in one ? [one] : []))
const writesOf = (file: string): Operation[] => everyWrite.filter(({ resource }) => fileNameOf(resource) === file)
const perOperation = ['before', 'bodies', 'elsewhere'] as const

/** Every entry of a file: its kind and its name. `create` is for all operations of the resource. */
const entries = Object.entries(exceptionsByFile).flatMap(([file, exceptions]) =>
  (['create', ...perOperation, 'parts'] as const).flatMap((kind) => {
    const entry = exceptions[kind]
    if (entry === undefined) return []
    return typeof entry === 'function' ? [{ file, kind, name: '' }] : Object.keys(entry).map((name) => ({ file, kind, name }))
  }),
)
type Entry = (typeof entries)[number]

/** Returns the operations that an entry names. */
function namedBy({ file, kind, name }: Entry): Operation[] {
  const writes = writesOf(file)
  if (kind === 'parts') return writes.filter(({ parameters }) => parameters.some((one) => one.in === 'path' && one.name === name))
  return kind === 'create' ? writes : writes.filter(({ id }) => id === name)
}

/**
 * Returns the operations that can fail without an entry, first those that it names. Rows of the resource are prepared with its other
 * operations, and those of other resources refer to them. Each is sent twice, because some requests succeed only once.
 */
function affectedBy(entry: Entry): Operation[] {
  const others = entry.kind === 'create' ? everyWrite : writesOf(entry.file)
  return [...namedBy(entry), ...namedBy(entry), ...others, ...others].filter((operation) => !isTestedElsewhere(operation))
}

function without({ file, kind, name }: Entry): Readonly<Record<string, Exceptions>> {
  const { [kind]: removed, ...others } = exceptionsByFile[file] ?? {}
  if (typeof removed === 'function') return { ...exceptionsByFile, [file]: others }
  const rest = Object.fromEntries(Object.entries(removed ?? {}).filter(([key]) => key !== name))
  return { ...exceptionsByFile, [file]: { ...others, [kind]: rest } }
}

describe('exceptions of derived requests', () => {
  test.each(Object.keys(exceptionsByFile))('%s is the name of a resource', (file) => {
    expect(declared.map(fileNameOf)).toContain(file)
  })

  test.each(entries)('$file: $kind $name concerns an operation of the resource', (entry) => {
    expect(namedBy(entry)).not.toEqual([])
  })

  test.each(entries.filter(({ kind }) => kind === 'elsewhere'))('$file: the test of $name exists', ({ file, name }) => {
    const path = exceptionsByFile[file]?.elsewhere?.[name] ?? ''
    const [operation] = everyWrite.filter(({ id }) => id === name)
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path, 'utf8')).toContain(operation?.path.replace(/^.*account/, '').replace(/\{.*$/, ''))
  })
})

describe('a derived sequence', () => {
  test('leads every operation that needs a status from every status that an action leads to, or says that none does', () => {
    const steps = (id: string, status: string) =>
      stepsTo(everyWrite.find((one) => one.id === id) as Operation, status)?.map((one) => one.id)
    expect(steps('restorePost', 'draft')).toEqual(['publishPost', 'archivePost'])
    expect(steps('restorePost', 'archived')).toEqual([])
    expect(steps('createRsvp', 'draft')).toEqual(['publishEvent'])
    expect(steps('reactivateStudent', 'active')).toEqual(['suspendStudent'])
    expect(steps('publishEvent', 'canceled')).toBeUndefined()
    const reading = everyWrite.filter((one) => statusesBefore(one) !== undefined)
    expect(reading.length).toBeGreaterThan(30)
  })
})

describe('an exception is needed', async () => {
  const [database] = await databasesToTest()
  const api = duringTests(async () => startDemoApi(await (database as NonNullable<typeof database>).open()))
  beforeAll(async () => {
    await newForm(api.database.sql, api.school.id)
  })

  const changes = async (): Promise<number> =>
    (await api.database.sql.query<{ n: number }>('SELECT count(*)::int AS n FROM change_log WHERE school_id = $1', [api.school.id]))[0]
      ?.n ?? 0

  /** Sends an operation once, and returns whether it changed anything. */
  async function hasEffect(operation: Operation, exceptions: Readonly<Record<string, Exceptions>>): Promise<boolean> {
    const subjects = createSubjects(api, exceptions)
    try {
      // As in everyWrite, where rejected requests have a row that nothing changes.
      await subjects.subjectOf(operation)
      const id = await subjects.subjectOf(operation)
      const sending = await subjects.sendingFor(operation, id)
      const start = await changes()
      const reply = await api.send(
        subjects.addressOf(operation, id),
        withMatch({ ...sending, method: operation.method, as: actorOf(operation) }),
      )
      return reply.status < 300 && (await changes()) > start
    } catch {
      return false
    }
  }

  test.each(entries.filter(({ kind }) => kind !== 'elsewhere'))('$file: $kind $name', async (entry) => {
    for (const operation of affectedBy(entry)) if (!(await hasEffect(operation, without(entry)))) return
    expect.unreachable(
      `Remove ${entry.kind} ${entry.name} from test/school/subjects/${entry.file}.ts: the requests of ${actor} succeed without it.`,
    )
  })
})
