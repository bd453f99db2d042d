import type { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { z } from 'zod'
import type { Operation, OperationOf } from '../../src/framework/declare/operations.ts'
import { type QueryScope, queryScopeOf } from '../../src/framework/declare/queryScope.ts'
import { pageStatement, rowStatement } from '../../src/framework/read/listStatement.ts'
import { parseParameters } from '../../src/framework/read/parseParameters.ts'
import type { DB } from '../../src/gen/kysely/tables.ts'
import { type Audience, audiences, type Caller } from '../../src/policy/caller.ts'
import { inSchool } from '../../src/store/inSchool.ts'
import { compiledBySchool } from '../../src/store/schoolParameter.ts'
import { compilingKysely } from '../../test/support/compilingKysely.ts'
import { formatSql } from './formatSql.ts'

interface Statement {
  sql: string
  parameters: readonly unknown[]
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
  const rendered = new Map<string, string>()
  for (const resource of new Set(operations.map((one) => one.resource))) {
    const parts: string[] = []
    const shown = new Map<string, string>()
    for (const operation of operations.filter((one) => one.resource === resource)) {
      const byRole = new Map<Audience, string[]>()
      for (const role of audiences.filter((one) => operation.roles.includes(one))) {
        const statements = await statementsOf(operation, callers[role])
        if (statements.length > 0) byRole.set(role, [...new Set(statements.map(withValues))])
      }
      for (const [roles, statements] of grouped(byRole))
        parts.push(
          `-- ${operation.id}, ${roles.join(', ')}\n${statements.map((one) => abridged(`${formatSql(one)};\n`, operation.id, shown)).join('\n')}`,
        )
    }
    if (parts.length > 0)
      rendered.set(resource.name, `-- Printed by npm run docs: the statements of ${resource.name} for each role.\n\n${parts.join('\n')}`)
  }
  return rendered

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

/** Replaces the columns and tables of a statement by the name of an operation that shows the same ones. */
function abridged(statement: string, operation: string, shown: Map<string, string>): string {
  const where = statement.indexOf('\nwhere ')
  const head = statement.slice(0, where)
  const other = where < 0 ? undefined : shown.get(head)
  if (where >= 0 && other === undefined) shown.set(head, operation)
  return other === undefined ? statement : `-- columns and tables of ${other}${statement.slice(where)}`
}
