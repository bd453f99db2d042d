import { z } from 'zod'
import { isObject } from '../../lib/jsonValue.ts'
import type { Answer } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { isArray, isObjectSchema, membersOf, unwrapped } from '../declare/schemas.ts'
import { csvColumns } from './csvColumns.ts'
import { csvCells, csvLines, csvType } from './csvText.ts'

/** Returns the first list that the response contains as a CSV file. */
export function csvAnswer({ rules, output, successStatus }: OperationOf<'collectionRead'>, body: Record<string, unknown>): Answer {
  const name = (rules.rows ?? []).find((list) => Array.isArray(body[list])) ?? ''
  const list = unwrapped(membersOf(output)[name] ?? z.never())
  const columns = isArray(list) && isObjectSchema(list.element) ? csvColumns(list.element, undefined) : []
  const rows: unknown[] = Array.isArray(body[name]) ? body[name] : []
  const pieces = async function* (): AsyncGenerator<string> {
    yield csvLines([columns, ...rows.map((row) => csvCells(columns, isObject(row) ? row : {}))])
  }
  return { status: successStatus, body: {}, text: '', stream: { type: csvType, pieces: pieces() } }
}
