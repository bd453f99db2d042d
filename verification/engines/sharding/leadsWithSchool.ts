import type { Client } from 'pg'
import { pretendManyRows } from './pretendManyRows.ts'
import type { StoreUse } from './recordStoreUse.ts'

/**
 * Keys of Redis that belong to no school, each with its reason. They hold counters only: with one Redis for each group of schools, each
 * of them counts for its schools.
 */
const keysOfAllSchools: readonly [pattern: RegExp, reason: string][] = [
  [/^sg:(?:limit|attempts):(?:sign_in|sign_up|password_reset)_per_address:/, 'an address that guesses at many schools is one guesser'],
  [/^sg:attempts:password_uses_per_network:/, 'the places of the password queue are those of the whole service'],
  [/^sg:limit:client_documents(?:_of_host)?:/, 'requests to the hosts of others are limited for the whole service'],
  [/^sg:readiness$/, 'written by the readiness check, holds nothing'],
]

/** Returns a line for each key that neither begins with the tag of a school nor is one of the exceptions. */
export function problemsOfKeys(keys: StoreUse['keys']): string[] {
  const isAllowed = (key: string): boolean => /^sg:\{[0-9a-f-]{36}\}:/.test(key) || keysOfAllSchools.some(([pattern]) => pattern.test(key))
  return [...keys].filter(([key]) => !isAllowed(key)).map(([key, command]) => `${command} ${key}`)
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Alias?: string
  Plans?: PlanNode[]
  [condition: string]: unknown
}

const conditions = ['Index Cond', 'Recheck Cond', 'Filter', 'Hash Cond', 'Merge Cond', 'Join Filter', 'TID Cond']
/** These run no plan. */
const control = /^\s*(?:begin|commit|rollback|savepoint|release|set|start)\b/i
const writesColumns = /^\s*(?:with\b[\s\S]*?\))?\s*insert\s+into\s+"?(?<table>\w+)"?\s*(?:as\s+"?\w+"?\s*)?\((?<columns>[^)]*)\)/i

/** Returns the columns that hold the school, by table. */
async function schoolColumns(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'school_id'",
  )
  return new Map([['school', 'id'], ...rows.map(({ table_name }) => [table_name, 'school_id'] as const)])
}

/**
 * Returns a line for each statement that reads or writes rows of a school without a condition on the school. The plan of PostgreSQL
 * decides: each scan of a table must compare its column of the school, so a condition that is only in a comment or on another table of the
 * statement does not count. Inserts must name the column.
 */
export async function problemsOfStatements(client: Client, statements: StoreUse['statements']): Promise<string[]> {
  const columns = await schoolColumns(client)
  await pretendManyRows(client)
  const problems: string[] = []
  for (const [text, values] of statements) {
    if (control.test(text)) continue
    const insert = writesColumns.exec(text)?.groups
    const written = columns.get(insert?.table ?? '')
    if (written !== undefined && !new RegExp(`\\b${written}\\b`).test(insert?.columns ?? '')) {
      problems.push(`inserts into ${insert?.table} without ${written}: ${text}`)
    }
    const plan = await planOf(client, text, values)
    for (const { table, alias } of scansWithoutSchool(plan, columns))
      problems.push(`scans ${table} as ${alias} without its school: ${text}`)
  }
  return problems
}

async function planOf(client: Client, text: string, values: readonly unknown[]): Promise<PlanNode> {
  try {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values])
    return rows[0]['QUERY PLAN'][0].Plan
  } catch (cause) {
    throw new Error(`no plan for the statement: ${text}`, { cause })
  }
}

function scansWithoutSchool(node: PlanNode, columns: ReadonlyMap<string, string>): { table: string; alias: string }[] {
  const table = node['Relation Name']
  const column = columns.get(table ?? '')
  const isScan = /Scan$/.test(node['Node Type']) && table !== undefined && column !== undefined
  const below = (node.Plans ?? []).flatMap((plan) => scansWithoutSchool(plan, columns))
  if (!isScan) return below
  const compared = new RegExp(`\\b${column} = |= (?:\\w+\\.)?${column}\\b`)
  const hasSchool = conditions.some((name) => compared.test(String(node[name] ?? '')))
  return hasSchool ? below : [{ table, alias: node.Alias ?? table }, ...below]
}
