import type { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type ParameterValues, parameterValues } from '../declare/expressions.ts'
import { rowKeyIn } from '../declare/operations.ts'
import { acceptedKey, type Parameter } from '../declare/parameters.ts'
import { type QueryScope, type RowKey, tableOf, tables } from '../declare/queryScope.ts'
import { isReadable } from './selectRows.ts'

/** The id of no row: a filter by it finds nothing. */
const noRow = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the values of the parameters with ids in place of slugs and numbers. One query for each parameter that has any. A key of a row
 * that the caller cannot read becomes an id of no row.
 */
export async function resolveKeys<Shape extends z.ZodRawShape>(
  database: SchoolReader,
  queryScope: QueryScope,
  parameters: readonly Parameter[],
  values: ParameterValues<Shape>,
): Promise<ParameterValues<Shape>> {
  const sent: ReadonlyMap<string, unknown> = values
  const resolved = new Map<string, unknown>()
  for (const { name, target } of parameters) {
    const value = sent.get(name)
    if (!target || value === undefined) continue
    const ids = await idsOf(database, { ...queryScope, resource: target }, [value].flat().map(String))
    resolved.set(name, Array.isArray(value) ? ids : ids[0])
  }
  return resolved.size === 0 ? values : parameterValues<Shape>(new Map([...sent, ...resolved]))
}

async function idsOf(database: SchoolReader, queryScope: QueryScope, texts: readonly string[]): Promise<string[]> {
  const { resource } = queryScope
  const keys = texts.map((text) => rowKeyIn(resource, text, acceptedKey(resource)))
  const found = await findIds(database, queryScope, keys)
  return keys.map((key) => toPublicId(resource.idPrefix, (key?.column === 'id' ? key.value : found.get(key?.value)) ?? noRow))
}

async function findIds(
  database: SchoolReader,
  queryScope: QueryScope,
  keys: readonly (RowKey | undefined)[],
): Promise<ReadonlyMap<unknown, string>> {
  const others = keys.flatMap((key) => (key && key.column !== 'id' ? [key] : []))
  const [first] = others
  if (!first) return new Map()
  const { column } = first
  const rows = await tables(database)
    .selectFrom(tableOf(queryScope.resource))
    .select(['id', column])
    .where((row) =>
      row.and([
        isReadable(queryScope, row),
        row(
          column,
          'in',
          others.map(({ value }) => value),
        ),
      ]),
    )
    .execute()
  return new Map(rows.map((row) => [row[column], row.id]))
}
