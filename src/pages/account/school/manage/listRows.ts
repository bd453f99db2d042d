import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import type { ManagedResource } from '../../../../engine/output/managedResources.ts'
import { plainText } from '../../../plainText.ts'
import { contentPart, type TextPart, type Texts, verbatim } from '../../../texts.ts'
import type { AccountTable } from '../../accountPage.ts'
import type { OwnPageContext } from '../../ownPage.ts'
import { valueText } from '../../requestFacts.ts'
import { nameOf } from '../../requestRows.ts'
import { deedAddress, noRow, rowAddress } from './addresses.ts'
import { capital } from './fieldForms.ts'
import { groupsOf, operationsOn } from './managed.ts'

interface RowOfTable {
  resource: ManagedResource
  row: ListedRow
  columns: readonly string[]
  role: OwnPageContext['role']
  hasBox: boolean
}

export function tableRow(texts: Texts, { resource, row, columns, role, hasBox }: RowOfTable): AccountTable['rows'][number] {
  const id = String(row.id)
  const email = typeof row.email === 'string' ? row.email : undefined
  const name = plainText(nameOf(texts, { ...row, email: undefined }) || email || id, 160)
  return {
    cells: [
      { href: rowAddress(resource.name, id), label: name, ...(email !== undefined && { line: plainText(email, 254) }) },
      ...columns.map((column) => cellOf(texts, resource, column, row[column])),
    ],
    ...(hasBox && { box: { value: id, label: texts.text('manage.tick', { name }) } }),
    menu: { summary: texts.text('manage.change'), links: deedLinks(texts, { resource, row, role }) },
  }
}

/** Returns the links to what a person may do with a row. */
export const deedLinks = (texts: Texts, { resource, row, role }: Pick<RowOfTable, 'resource' | 'row' | 'role'>) =>
  operationsOn(resource, row, role).flatMap((one) => {
    const id = resource.isSingleton ? noRow : String(row.id)
    const quick = one.kind === 'update' ? groupsOf(one) : []
    return [
      ...quick.map((group) => ({ href: deedAddress(resource.name, id, one.id, group), label: texts.text(`manage.group_${group}`) })),
      { href: deedAddress(resource.name, id, one.id), label: texts.deed(one.label, one.id) },
    ]
  })

function cellOf(texts: Texts, { fields }: ManagedResource, name: string, value: unknown): TextPart[] {
  if (value === null || value === undefined) return verbatim(texts, '–')
  if (fields[name]?.kind === 'choice') return verbatim(texts, capital(texts.choice(String(value))))
  if (fields[name]?.kind === 'time') return verbatim(texts, texts.date(new Date(String(value))))
  return [contentPart(plainText(valueText(texts, { name, value, objects: new Map() }), 100))]
}

const times = ['starts_at', 'published_at', 'placed_at', 'submitted_at', 'issued_at', 'joined_at', 'created_at'] as const

/** Returns the fields that distinguish rows: the state, the price, a number and a date. */
export function columnsOf({ fields }: ManagedResource): string[] {
  const names = Object.keys(fields)
  const found = [
    names.find((name) => name === 'status'),
    ['price', 'total'].find((name) => fields[name]?.kind === 'money') ?? names.find((name) => fields[name]?.kind === 'money'),
    names.find(
      (name) =>
        fields[name]?.kind === 'number' &&
        /^(?:enrollments|going|redemptions|members|active_enrollments|submissions)_count$|^progress_percent$/.test(name),
    ),
    times.find((name) => Object.hasOwn(fields, name)),
  ]
  return found.filter((name) => name !== undefined)
}
