import { isObject } from '../../../../base/text/jsonValue.ts'
import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import { withQuery } from '../../../../base/text/withQuery.ts'
import type { ManagedResource } from '../../../../engine/output/managedResources.ts'
import { siteKinds, sitePath, siteResources } from '../../../../engine/sitePaths.ts'
import { plainText } from '../../../plainText.ts'
import { contentPart, type Texts } from '../../../texts.ts'
import type { AccountSection } from '../../accountPage.ts'
import { isClosed } from '../../found.ts'
import { hasSite, type OwnPage, type OwnPageContext, type OwnRequest } from '../../ownPage.ts'
import { valueText } from '../../requestFacts.ts'
import { nameOf } from '../../requestRows.ts'
import { undoPath } from '../../undoPages.ts'
import { audienceAs, deedAddress, listAddress, noRow, rowAddress } from './addresses.ts'
import { capital } from './fieldForms.ts'
import { deedLinks } from './listRows.ts'
import { isManaged, nothing, ofStaff, resourceOf } from './managed.ts'
import { promptSection } from './promptSection.ts'

interface Shown {
  resource: ManagedResource
  row: ListedRow
  /** The rows that belong to it, each with its page. */
  parts: readonly { href: string; title: string }[]
}

const longestFact = 300

/** The page of one row: what it is, what a person may do with it, and what belongs to it. */
export const rowPage: OwnPage<Shown> = {
  path: rowAddress(':resource', ':id'),
  access: ofStaff,
  notices: { done: 'manage.done' },
  async read(request) {
    const resource = resourceOf(request)
    const { get, isSingleton } = resource
    const role = await request.role()
    if (!get?.roles.includes(audienceAs(role)) || isSingleton !== (request.params.id === noRow)) throw nothing()
    const { body: row } = await request.perform(get.id, {
      ...(get.parameter && { [get.parameter]: request.params.id }),
      ...(get.expand.length > 0 && { expand: get.expand.join() }),
    })
    if (!isManaged(resource, row, role)) throw nothing()
    return { resource, row, parts: resource.name === 'courses' ? await lessonsOf(request, String(row.id)) : [] }
  },
  build: content,
}

/** Reads the sections of a course and their lessons, which no list has. */
async function lessonsOf({ perform }: OwnRequest, id: string): Promise<Shown['parts']> {
  try {
    const { body } = await perform('getCurriculum', { id_or_slug: id })
    return body.sections.flatMap((section) => [
      { href: rowAddress('sections', section.id), title: section.title },
      ...section.lessons.map((lesson) => ({ href: rowAddress('lessons', lesson.id), title: `${section.title}: ${lesson.title}` })),
    ])
  } catch (error) {
    if (isClosed(error)) return []
    throw error
  }
}

function content(context: OwnPageContext, { resource, row, parts }: Shown) {
  const { texts, role, request } = context
  const name = plainText(nameOf(texts, row), 160) || texts.resource(resource.title, resource.name)
  const { entry } = request.ctx.query
  const isTakenBack = typeof entry === 'string' && /^act_[0-9a-z]{26}$/.test(entry)
  const actions: AccountSection = {
    id: 'actions',
    heading: texts.text('manage.actions'),
    links: [
      ...(isTakenBack ? [{ href: undoPath(entry), label: texts.text('manage.take_back') }] : []),
      ...deedLinks(texts, { resource, row, role }),
      ...newFor(context, resource, row),
      ...mailLinks(texts, row),
    ],
  }
  const refund = resource.name === 'orders' ? refundSection(context, row) : []
  const partsSection: AccountSection = {
    id: 'parts',
    heading: texts.text('site.contents'),
    links: parts.map(({ href, title }) => ({ href, label: plainText(title, 160) })),
  }
  return {
    title: { text: name },
    ...(resource.list && { back: { href: listAddress(resource.name), label: texts.resource(resource.title, resource.name) } }),
    sections: [
      ...(actions.links?.length ? [actions] : []),
      ...refund,
      {
        id: 'facts',
        heading: texts.text('manage.details'),
        facts: factsOf(texts, resource, row),
        links: relatedTo(context, resource, row),
      },
      ...(parts.length > 0 ? [partsSection] : []),
      promptSection(texts, request, { resource, row }),
    ],
  }
}

/** Says where an order that was paid is refunded: the school takes no money itself. */
function refundSection(
  { texts, request: { services, school } }: OwnPageContext,
  { id, number, status, payment }: ListedRow,
): AccountSection[] {
  const { reference, provider } = isObject(payment) ? payment : {}
  if (!(status === 'paid' || status === 'partially_refunded')) return []
  const known = { id: String(id), number: String(number), reference: typeof reference === 'string' ? reference : '' }
  const href = services.orderAddress(school, known)
  const values = { reference: plainText(known.reference || known.number, 200), provider: texts.choice(String(provider ?? '')) }
  return [
    {
      id: 'refund',
      heading: texts.text('manage.refund'),
      paragraphs: href === undefined ? [texts.parts('manage.order_refund', values)] : [],
      links: href === undefined ? [] : [{ href, label: texts.text('manage.order_checkout') }],
    },
  ]
}

/** Returns the values that fit in a line. Ids of other rows, and what only programs read, are left out. */
function factsOf(texts: Texts, { fields }: ManagedResource, row: ListedRow): NonNullable<AccountSection['facts']> {
  return Object.entries(fields).flatMap(([name, { kind }]) => {
    const value = row[name]
    if (value === null || value === undefined || value === '' || /^(?:object|id|metadata|external_id)$|_html$|_format$|_ids?$/.test(name))
      return []
    if (isObject(value) && kind !== 'money' && Object.values(value).some((one) => isObject(one) || Array.isArray(one))) return []
    if (Array.isArray(value) && (value.length === 0 || value.some(isObject))) return []
    const text = kind === 'choice' ? capital(texts.choice(String(value))) : valueText(texts, { name, value, objects: new Map() })
    return [
      {
        label: texts.field(name),
        value: [contentPart(plainText(text.length > longestFact ? `${text.slice(0, longestFact)}…` : text, 310))],
      },
    ]
  })
}

/** Returns the links to new rows that name this one, such as an enrolment in a course. */
const newFor = ({ texts, role, request }: OwnPageContext, { idPrefix, isSingleton }: ManagedResource, row: ListedRow) =>
  isSingleton
    ? []
    : [...request.services.managed.values()].flatMap(({ name, title, operations }) =>
        operations
          .filter(({ kind, isOnCollection, roles }) => kind === 'create' && isOnCollection && roles.includes(audienceAs(role)))
          .flatMap((one) => {
            const field = Object.entries(one.fields).find(([, rules]) => rules.kind === 'reference' && rules.idPrefix === idPrefix)?.[0]
            const href = field && withQuery(deedAddress(name, noRow, one.id), { [field]: String(row.id) })
            const action = texts.deed(one.label, one.id)
            const label =
              action === texts.deed(one.label, '') ? texts.text('manage.new_for', { action, name: texts.resource(title, name) }) : action
            return href ? [{ href, label }] : []
          }),
      )

/** Returns the public page of the row, and the lists of what names it. */
function relatedTo(context: OwnPageContext, { name, idPrefix, isSingleton }: ManagedResource, row: ListedRow) {
  const { texts, role, request } = context
  const kind = siteKinds.find((one) => siteResources[one] === name)
  const isPublic = kind !== undefined && typeof row.slug === 'string' && hasSite(context)
  const lists = isSingleton ? [] : [...request.services.managed.values()]
  return [
    ...(isPublic ? [{ href: sitePath(kind, String(row.slug)), label: texts.text('manage.public_page') }] : []),
    ...lists.flatMap(({ list, ...other }) => {
      const filter = list?.roles.includes(audienceAs(role))
        ? list.filters.find((one) => one.idPrefix === idPrefix && one.name.endsWith('_id'))
        : undefined
      if (!filter) return []
      return [
        { href: withQuery(listAddress(other.name), { [filter.name]: String(row.id) }), label: texts.resource(other.title, other.name) },
      ]
    }),
  ]
}

/** Returns the link with which a person writes to whom the row is about. */
export function mailLinks(texts: Texts, row: ListedRow, subject = '') {
  const holders = [row, row.contact, row.buyer]
  const email = holders.flatMap((one) => (isObject(one) && typeof one.email === 'string' && one.email.includes('@') ? [one.email] : []))[0]
  if (email === undefined) return []
  const query = subject === '' ? '' : `?subject=${encodeURIComponent(subject)}`
  return [{ href: `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}${query}`, label: texts.text('manage.write', { email }) }]
}
