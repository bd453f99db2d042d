import { newId } from '../../../../base/ids.ts'
import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import { withQuery } from '../../../../base/text/withQuery.ts'
import type { ManagedList, ManagedResource } from '../../../../engine/output/managedResources.ts'
import { plainText } from '../../../plainText.ts'
import type { TextKey, Texts } from '../../../texts.ts'
import type { AccountField, AccountForm, AccountSection } from '../../accountPage.ts'
import { accountField } from '../../ownFields.ts'
import type { OwnPage, OwnPageContext, OwnRequest } from '../../ownPage.ts'
import { audienceAs, deedAddress, listAddress, noRow } from './addresses.ts'
import { capital } from './fieldForms.ts'
import { type Many, manySection, operationsForMany, runMany } from './listMany.ts'
import { columnsOf, tableRow } from './listRows.ts'
import { isManaged, nothing, ofStaff, ownFilter, resourceOf } from './managed.ts'

interface Listed {
  resource: ManagedResource
  list: ManagedList
  /** The parameters that the address has, by name. */
  query: Readonly<Record<string, string>>
  rows: readonly ListedRow[]
  total: number | undefined
  many: Many | undefined
}

const longestValue = 200
/** Fewer than elsewhere: each row has its actions. */
const rowsOnPage = 40

/** The list of the rows of a resource that a person may manage. */
export const listPage: OwnPage<Listed> = {
  path: listAddress(':resource'),
  access: ofStaff,
  notices: { done: 'manage.done', confirmed: 'confirm.done' },
  async read(request) {
    const resource = resourceOf(request)
    const { list } = resource
    const role = await request.role()
    if (!list?.roles.includes(audienceAs(role))) throw nothing()
    const { many } = request.ctx.state
    const query = queryIn(request, list)
    if (many) return { resource, list, query, rows: [], total: undefined, many }
    const rows = await request.list('rows', list.id, {
      limit: rowsOnPage,
      ...(await ownFilter(resource, request)),
      ...query,
      ...(list.expand.length > 0 && { expand: list.expand.join() }),
      ...(audienceAs(role) === 'staff' && { include: 'total_count' }),
    })
    const total = request.ctx.state.lists?.find(({ section }) => section === 'rows')?.total
    return { resource, list, query, rows: rows.filter((row) => isManaged(resource, row, role)), total, many }
  },
  build: content,
  forms: { many: { run: runMany } },
}

/** Returns the parameters of the list that the address names. Words of one letter are those of somebody who is still typing. */
function queryIn({ ctx }: OwnRequest, { filters, sorts, isSearched }: ManagedList): Record<string, string> {
  const names = [...filters.map(({ name }) => name), ...(sorts.length > 0 ? ['sort'] : [])]
  const typed = (name: string): string => (typeof ctx.query[name] === 'string' ? plainText(ctx.query[name], longestValue).trim() : '')
  const words = isSearched ? typed('q').slice(0, 100) : ''
  return {
    ...(/^(?:..|[^\p{ASCII}])/u.test(words) && { q: words }),
    ...Object.fromEntries(names.flatMap((name) => (typed(name) === '' ? [] : [[name, typed(name)]]))),
  }
}

function content(context: OwnPageContext, listed: Listed) {
  const { texts, role } = context
  const { resource, query, many } = listed
  const title = texts.resource(resource.title, resource.name)
  const creates = resource.operations.filter(
    ({ kind, isOnCollection, roles }) => kind === 'create' && isOnCollection && roles.includes(audienceAs(role)),
  )
  const links = [
    ...creates.map((one) => ({ href: deedAddress(resource.name, noRow, one.id), label: texts.deed(one.label, one.id) })),
    ...(resource.operations.some(({ takesCsv, roles }) => takesCsv && roles.includes(audienceAs(role)))
      ? [{ href: `${listAddress(resource.name)}/import`, label: texts.text('manage.import') }]
      : []),
    ...(listed.list.isExported && audienceAs(role) === 'staff'
      ? [{ href: withQuery(`${listAddress(resource.name)}/export.csv`, query), label: texts.text('manage.export') }]
      : []),
  ]
  return {
    title: { text: title },
    sections: many
      ? [manySection(texts, resource, many)]
      : [{ id: 'find', heading: texts.text('manage.find'), forms: [searchForm(texts, listed)], links }, rowsSection(context, listed)],
  }
}

function searchForm(texts: Texts, { resource, list, query }: Listed): AccountForm {
  const shown = list.filters.filter(({ name, options }) => options.length > 0 && !/[[\]]|^(?:enrolled|owned|my_)/.test(name))
  const select = (
    name: string,
    label: string,
    options: readonly { value: string; label: string }[],
    none: TextKey = 'manage.any',
  ): AccountField =>
    accountField({
      ...{ name, type: 'select', label, autocomplete: 'off' },
      groups: [
        {
          label: '',
          options: [{ value: '', label: texts.text(none) }, ...options].map((one) => ({
            ...one,
            isSelected: one.value === (query[name] ?? ''),
          })),
        },
      ],
    })
  const yesOrNo = (value: string): string => texts.text(value === 'true' ? 'manage.yes' : 'manage.no')
  const names = new Set(['q', 'sort', ...shown.map(({ name }) => name)])
  return {
    action: listAddress(resource.name),
    isSearch: true,
    // Other filters, such as the course of an enrolment, come with the address.
    hidden: Object.entries(query).flatMap(([name, value]) => (names.has(name) ? [] : [{ name, value }])),
    fields: [
      ...(list.isSearched
        ? [
            accountField({
              name: 'q',
              type: 'text',
              label: texts.text('manage.words'),
              autocomplete: 'off',
              maxLength: 100,
              value: query.q ?? '',
              isOptional: true,
            }),
          ]
        : []),
      ...shown.map(({ name, options }) =>
        select(
          name,
          texts.field(name),
          options.map((value) => ({ value, label: value === 'true' || value === 'false' ? yesOrNo(value) : capital(texts.choice(value)) })),
        ),
      ),
      ...(list.sorts.length > 0
        ? [
            select(
              'sort',
              texts.text('manage.sort'),
              list.sorts.map((value) => ({
                value,
                label: texts.text(value.startsWith('-') ? 'manage.sort_down' : 'manage.sort_up', {
                  field: texts.field(value.replace('-', '')),
                }),
              })),
              'manage.sort_default',
            ),
          ]
        : []),
    ],
    submit: texts.text('manage.show'),
  }
}

function rowsSection({ texts, role, request }: OwnPageContext, { resource, rows, total, query }: Listed): AccountSection {
  const heading = total === undefined ? texts.resource(resource.title, resource.name) : texts.counted('manage.count', total)
  if (rows.length === 0) return { id: 'rows', heading, paragraphs: [texts.parts('manage.empty', {})] }
  const columns = columnsOf(resource)
  const many = operationsForMany(resource, role)
  return {
    id: 'rows',
    heading,
    table: {
      caption: heading,
      head: [texts.text('manage.name'), ...columns.map((name) => texts.field(name)), texts.text('manage.actions')],
      rows: rows.map((row) => tableRow(texts, { resource, row, columns, role, hasBox: many.length > 0 })),
      ...(many.length > 0 && {
        many: {
          action: `${listAddress(resource.name)}/many`,
          hidden: [
            { name: 'once', value: newId() },
            {
              name: 'at',
              value: withQuery('', { ...query, rows: typeof request.ctx.query.rows === 'string' ? request.ctx.query.rows : undefined }),
            },
          ],
          label: texts.text('manage.many'),
          options: many.map(({ id, label }) => ({ value: id, label: texts.deed(label, id) })),
          submit: texts.text('manage.continue'),
        },
      }),
    },
  }
}
