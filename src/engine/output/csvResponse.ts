import { z } from 'zod'
import { type CsvDialect, csvCells, csvLines, csvType } from '../../base/text/csvText.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { isArray, isObjectSchema, membersOf, unwrapped } from '../declare/views.ts'
import { csvColumns } from './csvColumns.ts'

/**
 * Returns the first list that the response contains as a CSV file. `groups.series` names the list inside each row of another one: a line has
 * the first member of the inner row, the members of the outer row that the inner one lacks, and the other members of the inner row.
 */
export function csvResponse(
  { rules, output, successStatus }: OperationOf<'collectionRead'>,
  body: Record<string, unknown>,
  dialect: CsvDialect,
): ApiResponse {
  const fileOf = (columns: readonly string[], lines: readonly Record<string, unknown>[]): ApiResponse =>
    csvOf(successStatus, dialect, columns, lines)
  const paths = (rules.rows ?? []).map((path) => path.split('.'))
  const [list = '', inner] = paths.find(([name = '']) => Array.isArray(body[name])) ?? []
  const rows = objectsIn(body[list])
  const outerSchema = elementOf(output, list)
  if (inner === undefined) return fileOf(csvColumns(outerSchema, undefined), rows)
  const innerSchema = elementOf(outerSchema, inner)
  const shared = new Set([inner, ...Object.keys(innerSchema.shape)])
  const outerColumns = Object.keys(outerSchema.shape).filter((name) => !shared.has(name))
  const [first = '', ...others] = csvColumns(innerSchema, undefined)
  const lines = rows.flatMap((row) => objectsIn(row[inner]).map((line) => ({ ...row, ...line })))
  return fileOf([first, ...outerColumns, ...others], lines)
}

function csvOf(status: number, dialect: CsvDialect, columns: readonly string[], rows: readonly Record<string, unknown>[]): ApiResponse {
  const pieces = async function* (): AsyncGenerator<string> {
    yield dialect.start + csvLines([columns, ...rows.map((row) => csvCells(columns, row))], dialect)
  }
  return { status, body: {}, text: '', stream: { type: csvType, pieces: pieces(), rows: () => rows.length } }
}

function elementOf(schema: z.ZodObject, name: string): z.ZodObject {
  const list = unwrapped(membersOf(schema)[name] ?? z.never())
  return isArray(list) && isObjectSchema(list.element) ? list.element : z.object({})
}

const objectsIn = (list: unknown): Record<string, unknown>[] => (Array.isArray(list) ? list.filter(isObject) : [])
