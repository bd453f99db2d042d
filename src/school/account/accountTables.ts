import { z } from 'zod'
import type { PersonViewer } from '../../base/caller.ts'
import { hashedId, toPublicId } from '../../base/ids.ts'
import type { AnyRule, Rows, TableName } from '../../engine/declare/expressions.ts'
import { timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { scopesOf } from '../../identity/accounts/connectedApps.ts'

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

const count = (description: string) => z.int().meta({ description, example: 3 })

/** How the export covers the tables of an account: its sign-ins, its second factors, and what it allowed to apps. */
export const accountTables = {
  oidc_grant: tableRows({
    name: 'grants',
    about: 'Everything that the person allowed to apps, also what has ended.',
    table: 'oidc_grant',
    fields: z.object({
      id: text('Id of the authorization.'),
      client_id: text('Id of the app.'),
      own_name: orNone(z.string(), 'Name that the person gave the app.'),
      scopes: z.array(z.string()).meta({ description: 'Permissions.', example: ['openid'] }),
      created_at: moment('When the person granted access.'),
      last_used_at: orNone(timestamp(), 'When the app last used it.'),
      expires_at: moment('When it expires.'),
      revoked_at: orNone(timestamp(), 'When it was ended.'),
      paused_at: orNone(timestamp(), 'When the person paused it.'),
    }),
    columns: ['client_id', 'own_name', 'payload', 'created_at', 'last_used_at', 'expires_at', 'revoked_at', 'paused_at'],
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    present: ({ id, payload, ...row }) => ({
      id: hashedId('aut', String(id)),
      ...row,
      scopes: [...scopesOf(payload as Parameters<typeof scopesOf>[0])],
    }),
  }),
  grant_use: tableRows({
    name: 'uses_of_apps',
    about: 'How often apps called the API for the person, by day.',
    table: 'grant_use',
    fields: z.object({
      grant_id: text('Id of the authorization.'),
      day: text('Day in UTC.'),
      operation: text('Operation of the API.'),
      calls: count('Successful calls.'),
      rows: count('Rows in the responses.'),
      refused: count('Calls that were answered with an error.'),
    }),
    keys: ['grant_id', 'day', 'operation'],
    where: { column: 'account_id', is: 'accountId', ofGrants: 'grant_id' },
    present: ({ grant_id: id, day, calls, rows, refused, ...row }) => ({
      ...row,
      grant_id: hashedId('aut', String(id)),
      day: day instanceof Date ? day.toISOString().slice(0, 10) : String(day),
      ...{ calls: Number(calls), rows: Number(rows), refused: Number(refused) },
    }),
  }),
  approval: { reason: 'Only release 1.0.0 wrote it. What the person decided is in the audit trail, which the export contains.' },
  proposal: { reason: 'What the person decided is in the audit trail, which the export contains.' },
  proposal_request: { reason: 'What the person decided is in the audit trail, which the export contains.' },
  audit_log: tableRows({
    name: 'activity',
    about: 'Sign-ins and changes of the account: the audit trail of the person.',
    table: 'audit_log',
    fields: z.object({
      at: moment('When.'),
      event: text('What happened.'),
      client_id: orNone(z.string(), 'The app that acted for the person.'),
      address: orNone(z.string(), 'Network address.'),
      details: text('Further details, as JSON.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    present: ({ id: _id, details, ...row }) => ({ ...row, details: JSON.stringify(details) }),
  }),
  mailed_link: tableRows({
    name: 'mailed_links',
    about: 'Links that were sent to the person.',
    table: 'mailed_link',
    fields: z.object({
      purpose: text('sign_up, password_reset or email_change.'),
      email: text('Where it was sent.'),
      created_at: moment('When it was sent.'),
      expires_at: moment('When it expired.'),
      used_at: orNone(timestamp(), 'When it was used.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    // The id is the hash of the secret in the link.
    present: ({ id: _id, ...row }) => row,
  }),
  passkey: tableRows({
    name: 'passkeys',
    about: 'Passkeys of the person, without the keys.',
    table: 'passkey',
    fields: z.object({
      name: text('Name that the person gave it.'),
      created_at: moment('When it was added.'),
      last_used_at: orNone(timestamp(), 'When it was last used.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  authenticator_app: tableRows({
    name: 'authenticator_apps',
    about: 'Authenticator apps of the person, without the secret.',
    table: 'authenticator_app',
    fields: z.object({ created_at: moment('When it was set up.') }),
    keys: ['account_id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  calendar_feed: tableRows({
    name: 'calendar_feeds',
    about: 'The secret address of the calendar, without the address.',
    table: 'calendar_feed',
    fields: z.object({ renewed_at: moment('When the address was created.') }),
    keys: ['account_id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  recovery_code: tableRows({
    name: 'recovery_codes',
    about: 'Recovery codes of the person, without the codes.',
    table: 'recovery_code',
    fields: z.object({ created_at: moment('When it was created.'), used_at: orNone(timestamp(), 'When it was used.') }),
    keys: ['hash'],
    where: { column: 'account_id', is: 'accountId' },
  }),
} as const satisfies Partial<Record<keyof DB, Coverage>>
