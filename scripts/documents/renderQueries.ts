import type { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { z } from 'zod'
import { type Audience, audiences, type Caller } from '../../src/base/caller.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { compiledBySchool } from '../../src/database/school/schoolParameter.ts'
import type { Operation, OperationOf } from '../../src/engine/declare/operations.ts'
import { type QueryScope, queryScopeOf } from '../../src/engine/declare/queryScope.ts'
import { pageStatement, rowStatement } from '../../src/engine/read/listStatement.ts'
import { parseParameters } from '../../src/engine/read/parseParameters.ts'
import type { DB } from '../../src/gen/kysely/tables.ts'
import { compilingKysely } from '../../test/support/compilingKysely.ts'
import { nameParts, sharedFile } from './nameParts.ts'

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

interface Shown {
  file: string
  /** The operation and the roles. */
  title: string
  sql: string
}

/** The ids of the example, and the names that represent them in the statements. */
const ids = new Map(
  ['school', 'account', 'person', 'lecturer', 'row', 'parent'].map((name, index) => [name, `01942bc1-1a80-7000-8000-00000000000${index}`]),
)
const idOf = (name: string): string => ids.get(name) ?? ''
const school = { id: idOf('school'), slug: 'example', issuer: 'https://school.example.com' }
const person = {
  kind: 'person',
  accountId: idOf('account'),
  personId: idOf('person'),
  lecturerId: idOf('lecturer'),
  clientId: 'client',
  grantId: 'grant',
} as const
const callers: Record<Audience, Caller> = {
  anonymous: { kind: 'anonymous' },
  learner: { ...person, role: 'learner', scopes: new Set() },
  lecturer: { ...person, role: 'lecturer', scopes: new Set() },
  staff: { ...person, role: 'owner', scopes: new Set() },
}
const compiler = inSchool(compilingKysely(), school.id)

/** Renders the statements of the lists, rows and reports of each resource with such operations. */
export async function renderQueries(operations: readonly Operation[], pglite: PGlite): Promise<Map<string, string>> {
  await pglite.query(
    `INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, 'example', 'Example', 'en', 'Europe/Berlin', 'EUR')`,
    [school.id],
  )
  const executed: Statement[] = []
  const dialect = compiledBySchool(new PGliteDialect({ pglite }))
  const database = inSchool(new Kysely<DB>({ dialect, log: ({ query }) => void executed.push(query) }), school.id)
  const shown: Shown[] = []
  for (const operation of operations) {
    const byRole = new Map<Audience, string[]>()
    for (const role of audiences.filter((one) => operation.roles.includes(one))) {
      const statements = await statementsOf(operation, callers[role])
      if (statements.length > 0) byRole.set(role, [...new Set(statements.map(withValues))])
    }
    for (const [roles, statements] of grouped(byRole))
      for (const sql of statements) shown.push({ file: operation.resource.name, title: `${operation.id}, ${roles.join(', ')}`, sql })
  }
  return renderFiles(shown)

  async function statementsOf(operation: Operation, caller: Caller): Promise<Statement[]> {
    const { resource } = operation
    const scope = queryScopeOf({ resource, schoolId: school.id, caller })
    if (operation.kind === 'get')
      return [rowStatement(compiler, scope, resource.isSingleton ? undefined : { column: 'id', value: idOf('row') })]
    if (operation.kind === 'list') return operation.parent && !resource.isPart ? [] : [listStatement(operation, scope)]
    return operation.kind === 'collectionRead' && operation.method === 'GET' ? await statementsOfReport(operation, caller) : []
  }

  function listStatement({ resource, parent }: OperationOf<'list'>, scope: QueryScope): Statement {
    const sort = resource.defaultSorts?.[scope.caller.kind === 'person' && scope.caller.role === 'owner' ? 'staff' : 'everyone']
    if (!sort) throw new Error(`${resource.name} must declare a sort`)
    const conditions = parent ? [(rows: Parameters<typeof parent.where>[0]) => parent.where(rows, idOf('parent'))] : []
    return pageStatement(compiler, scope, { conditions, sort, limit: 21, after: undefined })
  }

  /** Runs a report with the examples of its parameters. A report may refuse a role, or need rows that do not exist here. */
  async function statementsOfReport(operation: OperationOf<'collectionRead'>, caller: Caller): Promise<Statement[]> {
    executed.length = 0
    const { rules, parameters } = operation
    const given = Object.fromEntries(parameters.flatMap((one) => (one.isRequired ? [[one.name, exampleOf(one.schema)]] : [])))
    try {
      await rules.run({ database, school, caller, parameters: parseParameters(parameters, given), externalServices: {} as never }, {})
    } catch {
      // The statements until then are shown.
    }
    return [...executed]
  }
}

/** Replaces the parameters of a statement by what they stand for: constants by their values, ids and times by names. */
const withValues = ({ sql, parameters }: Statement): string =>
  sql.replace(/\$(\d+)/g, (_, number) => valueText(parameters[Number(number) - 1]))

function valueText(value: unknown): string {
  const id = [...ids].find(([, one]) => one === value)
  if (id) return `:${id[0]}_id`
  if (value instanceof Date || (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))) return ':time'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'object' && value !== null ? `'${JSON.stringify(value)}'` : String(value)
}

const exampleOf = (schema: z.ZodType): unknown => schema.meta()?.example

function grouped(byRole: ReadonlyMap<Audience, string[]>): [Audience[], string[]][] {
  const groups = new Map<string, [Audience[], string[]]>()
  for (const [role, statements] of byRole) {
    const key = statements.join(';')
    const group = groups.get(key)
    if (group) group[0].push(role)
    else groups.set(key, [[role], statements])
  }
  return [...groups.values()]
}

/** Renders the parts that several files use, and each file: the parts that only it uses, then its statements. */
function renderFiles(shown: readonly Shown[]): Map<string, string> {
  const { statements, definitions } = nameParts(shown)
  const rendered = new Map([[sharedFile, ['-- Printed by npm run docs: the parts that the statements of several resources name.\n']]])
  const earlier: { title: string; lines: string[] }[] = []
  for (const [index, { file, title }] of shown.entries()) {
    const about = `-- Printed by npm run docs: the statements of ${file} for each role. The parts in braces are below, or in ${sharedFile}.sql.\n`
    const blocks = rendered.get(file) ?? [about]
    const lines = `${statements[index]};\n`.split('\n')
    const text = withoutBeginning(lines, earlier).join('\n')
    blocks.push(title === earlier.at(-1)?.title ? text : `-- ${title}\n${text}`)
    earlier.push({ title, lines })
    rendered.set(file, blocks)
  }
  const partsOf = (file: string): string[] => (definitions.get(file) ?? []).map(([name, text]) => `-- {${name}}\n${text}\n`)
  return new Map([...rendered].map(([file, [about, ...blocks]]) => [file, [about, ...partsOf(file), ...blocks].join('\n')]))
}

/** Replaces the columns and tables that a statement begins with by a reference to the statement that has most of them. */
function withoutBeginning(lines: readonly string[], earlier: readonly { title: string; lines: string[] }[]): readonly string[] {
  const where = lines.findIndex((line) => line.startsWith('where '))
  const counts = earlier.map((other) => lines.findIndex((line, index) => index === where || line !== other.lines[index]))
  const count = Math.max(...counts)
  if (count < 3) return lines
  const { title = '' } = earlier[counts.indexOf(count)] ?? {}
  return [`-- ${count === where ? 'columns and tables' : `the first ${count} lines`} of ${title}`, ...lines.slice(count)]
}
