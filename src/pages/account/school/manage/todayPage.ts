import { accountPaths } from '../../../../base/accountPaths.ts'
import type { ListedRow } from '../../../../base/text/pageOfRows.ts'
import { withQuery } from '../../../../base/text/withQuery.ts'
import { periodText } from '../../../../base/timeZone.ts'
import { countWaiting } from '../../../../database/tables/proposals.ts'
import type { EventRow } from '../../../../school/apiRows.ts'
import { plainText } from '../../../plainText.ts'
import { contentPart, type Texts } from '../../../texts.ts'
import type { AccountSection } from '../../accountPage.ts'
import { isClosed } from '../../found.ts'
import type { OwnPage, OwnPageContext, OwnRequest } from '../../ownPage.ts'
import { type FirstSteps, firstStepsSection, readFirstSteps } from '../firstSteps.ts'
import { audienceAs, listAddress, rowAddress } from './addresses.ts'
import { ofStaff, ownFilter } from './managed.ts'

interface Today {
  /** The numbers of what waits for the person. */
  requests: number
  comments: number
  answers: number
  /** The new rows since yesterday, by list. */
  news: readonly { resource: string; query: Readonly<Record<string, string>>; count: number | undefined }[]
  event: EventRow | undefined
  steps: FirstSteps | undefined
}

const dayMilliseconds = 86_400_000

/** The first page of everybody who works at the school: what needs them today. */
export const todayPage: OwnPage<Today> = {
  path: accountPaths.school,
  access: ofStaff,
  async read(request) {
    const { reader, accountId, role, services } = request
    const since = new Date(Date.now() - dayMilliseconds).toISOString()
    const isAdmin = audienceAs(await role()) === 'staff'
    const countOf = (operation: string, query: ListedRow): Promise<number> =>
      isAdmin ? countRows(request, operation, query) : Promise.resolve(0)
    const lists = [
      { resource: 'orders', query: { 'paid_at[gte]': since } },
      { resource: 'students', query: { 'created_at[gte]': since } },
      { resource: 'enrollments', query: { 'created_at[gte]': since } },
    ]
    const [requests, comments, answers, event, steps, ...counts] = await Promise.all([
      countWaiting(reader, accountId),
      countOf('listComments', { status: 'pending' }),
      countOf('listFormSubmissions', { 'submitted_at[gte]': since, spam: 'false' }),
      nextEvent(request),
      isAdmin ? readFirstSteps(request) : undefined,
      ...lists.map(({ resource, query }) => countOf(services.managed.get(resource)?.list?.id ?? '', query)),
    ])
    return { requests, comments, answers, event, steps, news: isAdmin ? lists.map((one, at) => ({ ...one, count: counts[at] })) : [] }
  },
  build: content,
}

/** Counts the rows of a list; none of a list that the school or the person does not have. */
async function countRows({ services, ctx, accountId }: OwnRequest, operation: string, query: ListedRow): Promise<number> {
  try {
    const { total = 0 } = await services.list(ctx, accountId, operation, { ...query, include: 'total_count' }, { limit: 1 })
    return total
  } catch (error) {
    if (isClosed(error)) return 0
    throw error
  }
}

async function nextEvent(request: OwnRequest): Promise<EventRow | undefined> {
  const { services, ctx, accountId } = request
  const resource = services.managed.get('events')
  if (!resource) return undefined
  const query = { ...(await ownFilter(resource, request)), status: 'published', phase: 'upcoming', sort: 'starts_at' }
  try {
    return (await services.list(ctx, accountId, 'listEvents', query, { limit: 1 })).rows[0]
  } catch (error) {
    if (isClosed(error)) return undefined
    throw error
  }
}

function content({ texts, schoolName }: OwnPageContext, { requests, comments, answers, news, event, steps }: Today) {
  const first = steps && firstStepsSection(texts, steps)
  const waiting = [
    ...(requests > 0 ? [{ href: accountPaths.approvals, label: texts.counted('manage.today_requests', requests) }] : []),
    ...(comments > 0 ? [{ href: accountPaths.schoolComments, label: texts.counted('manage.today_comments', comments) }] : []),
    ...(answers > 0 ? [{ href: accountPaths.schoolForms, label: texts.counted('manage.today_answers', answers) }] : []),
  ]
  const section: AccountSection = {
    id: 'waiting',
    heading: texts.text('manage.today_waiting'),
    paragraphs: waiting.length === 0 ? [texts.parts('manage.today_nothing', {})] : [],
    links: waiting,
  }
  return {
    title: 'manage.today' as const,
    introduction: texts.parts('manage.today_introduction', { school: schoolName }),
    sections: [...(first ? [first] : []), section, ...(news.length > 0 ? [newsSection(texts, news)] : []), eventSection(texts, event)],
  }
}

const names = { orders: 'manage.today_orders', students: 'manage.today_students', enrollments: 'manage.today_enrollments' } as const

const newsSection = (texts: Texts, news: Today['news']): AccountSection => ({
  id: 'news',
  heading: texts.text('manage.today_since'),
  links: news.map(({ resource, query, count = 0 }) => ({
    href: withQuery(listAddress(resource), query),
    label: `${texts.text(names[resource === 'orders' || resource === 'students' ? resource : 'enrollments'])}: ${count}`,
  })),
})

const eventSection = (texts: Texts, event: EventRow | undefined): AccountSection => ({
  id: 'event',
  heading: texts.text('manage.today_event'),
  paragraphs: event
    ? [[contentPart(periodText(event.starts_at, event.ends_at, { timeZone: event.time_zone, locale: texts.dateLocale }))]]
    : [texts.parts('manage.today_no_event', {})],
  links: event ? [{ href: rowAddress('events', event.id), label: plainText(event.title, 160) }] : [],
})
