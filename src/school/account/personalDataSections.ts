import { z } from 'zod'
import type { PersonViewer } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { AnyRule, Rows, TableName } from '../../engine/declare/expressions.ts'
import { timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import type { DB } from '../../gen/kysely/tables.ts'

export interface ResourceSection {
  name: string
  about: string
  resource: Resource
  mine: AnyRule
  also?: z.ZodRawShape
}

export interface TableSection {
  name: string
  about: string
  table: keyof DB
  /** The fields of a row; without `present`, each is a column. */
  fields: z.ZodObject
  /** The columns that `present` reads. Default: the fields. */
  columns?: readonly string[]
  /** Columns that are unique together within the school: the order of the rows. */
  keys: readonly string[]
  /** The column that refers to the person, and to what of theirs; with `ofGrants`, that of the grants whose ids are in this column. */
  where: { column: string; is: 'accountId' | 'personId' | 'lecturerId'; ofGrants?: string }
  /** Converts a row for the export. Default: as it is stored. */
  present?(row: Readonly<Record<string, unknown>>): Record<string, unknown>
}

export type Coverage = { sections: readonly (ResourceSection | TableSection)[] } | { partOf: string } | { reason: string }

type Mine<Table extends TableName> = (rows: Rows<Table>, me: PersonViewer) => ReturnType<AnyRule>

export function rowsOf<Table extends TableName>(
  name: string,
  { resource, about, mine, also }: { table: Table; resource: Resource; about: string; mine: Mine<Table>; also?: z.ZodRawShape },
): Coverage {
  return { sections: [{ name, about, resource, mine: mine as unknown as AnyRule, ...(also && { also }) }] }
}

export const tableRows = (section: TableSection): Coverage => ({ sections: [section] })

export const ofPerson = (
  rows: { (column: 'person_id', operator: '=', value: string): ReturnType<AnyRule>; lit(value: boolean): ReturnType<AnyRule> },
  me: PersonViewer,
) => (me.personId === null ? rows.lit(false) : rows('person_id', '=', me.personId))

/** The confirmed address of the account: rows with it belong to the person, as when the person is erased. */
export const confirmedEmail = ({ selectFrom }: Pick<Rows<'account'>, 'selectFrom'>, { accountId }: PersonViewer) =>
  selectFrom('account').select('account.email').where('account.id', '=', accountId).where('account.email_verified', '=', true)

export const text = (description: string) => z.string().meta({ description, example: '' })
export const orNone = (schema: z.ZodType, description: string) => schema.nullable().meta({ description, example: null })
export const moment = (description: string) => timestamp().meta({ description, example: '2026-03-01T09:30:00.000Z' })

export const publicIds =
  (prefixes: Readonly<Record<string, string>>) =>
  (row: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...row,
    ...Object.fromEntries(Object.entries(prefixes).map(([column, prefix]) => [column, toPublicId(prefix, String(row[column]))])),
  })
