import type { z } from 'zod'
import type { Answer } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { unwrapped } from '../declare/writeForm.ts'
import { csvColumns } from './csvColumns.ts'
import { csvCells, csvLines, csvType } from './csvText.ts'

/** The first list of an answer that is there, as a file. */
export function csvAnswer({ rules, output, successStatus }: OperationOf<'collectionRead'>, body: Record<string, unknown>): Answer {
  const name = (rules.rows ?? []).find((list) => Array.isArray(body[list])) ?? ''
  const list = unwrapped(output.shape[name] as z.ZodType) as z.ZodArray
  const columns = csvColumns(list.element as z.ZodObject, undefined)
  const rows = body[name] as Record<string, unknown>[]
  const pieces = async function* (): AsyncGenerator<string> {
    yield csvLines([columns, ...rows.map((row) => csvCells(columns, row))])
  }
  return { status: successStatus, body: {}, text: '', stream: { type: csvType, pieces: pieces() } }
}
