import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { newId } from '../../base/ids.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { countWaiting } from '../../database/tables/proposals.ts'
import { countUnusual } from '../../database/tables/waitingRequests.ts'
import type { Frame } from '../frame.ts'
import type { PageContext } from '../pageContext.ts'
import { plainText } from '../plainText.ts'
import type { TextKey } from '../texts.ts'
import { accountNavigation } from './accountNavigation.ts'
import type { AccountPage, AccountSection, AccountShell } from './accountPage.ts'
import { filledIn } from './keptForms.ts'
import type { OwnContent, OwnError, OwnPageContext, OwnRequest } from './ownPage.ts'
import { formSubject, type SignedInPerson } from './signedInPerson.ts'

/** A list that a section of the page shows, and the place of the next rows. */
interface ShownList {
  section: string
  next: string | null
  total: number | undefined
}

declare module 'koa' {
  interface DefaultState {
    /** The lists that were read for the page of this request. */
    lists?: readonly ShownList[]
  }
}

interface ShownPage {
  path: string
  /** The page whose link in the navigation is marked. */
  section: string
  notices: Readonly<Record<string, TextKey>>
  /** Errors of the form that was submitted. */
  errors?: readonly OwnError[]
}

/** Returns what surrounds the content of an account page. The query names a notice; nothing else of it is shown. */
export async function shellOf(
  { ctx, person, role, reader, accountId, services: { present, managed } }: OwnRequest,
  { section, notices = {}, heading }: Partial<Pick<ShownPage, 'notices'>> & Pick<ShownPage, 'section'> & { heading: string },
): Promise<AccountShell> {
  const pageContext = await present.pageContext(ctx)
  const { texts } = pageContext
  const done = typeof ctx.query.done === 'string' ? ctx.query.done : ''
  const notice = done === 'confirmed' ? 'confirm.done' : Object.hasOwn(notices, done) ? notices[done] : undefined
  const roleNow = await role()
  const requests = await countWaiting(reader, accountId)
  const unusual = roleNow === 'owner' ? await countUnusual(reader) : 0
  const starts: readonly string[] = [accountPaths.home, accountPaths.apps, accountPaths.school]
  const isShown = starts.includes(section) && !ctx.path.startsWith(accountPaths.approvals)
  const box = (count: number, key: 'waiting.box' | 'waiting.unusual', href: string, label: TextKey) =>
    isShown && count > 0 ? [{ text: texts.countedParts(key, count), href, label: texts.text(label) }] : []
  return {
    navigation: accountNavigation(texts, {
      ...{ role: roleNow, path: section, managed },
      waiting: { [accountPaths.apps]: requests, [accountPaths.school]: unusual, [accountPaths.schoolApps]: unusual },
    }),
    waiting: [
      ...box(requests, 'waiting.box', accountPaths.approvals, 'waiting.open'),
      ...box(unusual, 'waiting.unusual', accountPaths.schoolApps, 'waiting.look'),
    ],
    signedIn: texts.parts('consent.signed_in', { name: plainText(person.who.name, 60), email: plainText(person.who.email, 254) }),
    heading,
    notice: notice ? texts.text(notice) : '',
    csrf: present.csrf.issue(ctx, formSubject(person), person.accountId),
    deletion: deletionOf(pageContext, person, new Date()),
  }
}

export async function showOwnPage(
  request: OwnRequest,
  { path, section, notices, errors = [] }: ShownPage,
  build: (context: OwnPageContext) => OwnContent,
): Promise<void> {
  const { ctx, person, services } = request
  const { present } = services
  const role = await request.role()
  const { texts, schoolName } = await present.pageContext(ctx, path)
  const hasFailed = errors.length > 0
  const {
    title,
    heading,
    introduction = [],
    ...content
  } = build({
    ...{ request, texts, schoolName, person, role },
    now: new Date(),
    // After a change by somebody else, the page shows what is stored.
    sent: hasFailed && ctx.status !== 412 ? request.sent : undefined,
    errorOf: (field) => errors.find((one) => one.field === field)?.text ?? '',
    form: (name, { hidden = {}, ...rest }) => ({
      ...rest,
      action: formAddress(path, name),
      hidden: Object.entries({ ...hidden, once: newId() }).map(([key, value]) => ({ name: key, value })),
    }),
  })
  const name = typeof title === 'string' ? texts.text(title) : title.text
  const sections = continued(ctx, content.sections, { path, label: texts.text('site.next_page') })
  const kept = ctx.method === 'GET' ? await services.keptForms.find(ctx, person.accountId, path) : undefined
  const shell = await shellOf(request, { section, notices, heading: heading ?? name })
  const view: Omit<AccountPage, keyof Frame> & { title: string; again: string } = {
    title: hasFailed ? `${texts.text('account.error_title')}: ${name}` : name,
    again: path,
    ...shell,
    ...(hasFailed && { notice: '' }),
    introduction,
    neighboursLabel: texts.text('site.more_pages'),
    ...content,
    sections,
    ...(sections.some(({ copy }) => copy) && { script: present.views.script.href }),
    errors: hasFailed
      ? {
          heading: texts.text('account.error_heading'),
          list: errors.map(({ field, text }) => ({ href: field === undefined ? undefined : `#${field}`, text })),
        }
      : undefined,
  }
  await present.show(ctx, 'account', view)
  if (!kept || filledIn(String(ctx.body), kept) === undefined) return
  await present.show(ctx, 'account', { ...view, notice: view.notice || texts.text('account.kept') })
  ctx.body = filledIn(String(ctx.body), kept)
}

export const formAddress = (path: string, form: string): string => (form === '' ? path : form.startsWith('/') ? form : `${path}/${form}`)

/**
 * Adds the links to the next rows of the lists that were read for the page.
 * @throws Error if no section shows one of them
 */
function continued(ctx: Context, sections: AccountSection[], { path, label }: { path: string; label: string }): AccountSection[] {
  const { lists = [] } = ctx.state
  const isMissing = ({ section, next }: ShownList): boolean => next !== null && !sections.some(({ id }) => id === section)
  const missing = lists.find(isMissing)
  if (missing) throw new Error(`no section ${missing.section} shows the list`)
  // The rest of the query stays.
  const place = Object.fromEntries([...new URLSearchParams(ctx.querystring)].filter(([name]) => name !== 'done'))
  return sections.map((section) => {
    const next = lists.find((list) => list.section === section.id)?.next
    return next
      ? { ...section, links: [{ href: withQuery(path, { ...place, [section.id]: next }), label }, ...(section.links ?? [])] }
      : section
  })
}

/** Returns the notice about a scheduled deletion. */
function deletionOf({ texts, schoolName }: PageContext, { who }: SignedInPerson, now: Date): AccountShell['deletion'] {
  const at = who.deletion_scheduled_at
  if (!at) return undefined
  const isInTime = at > now
  return {
    heading: texts.text('apps.deletion_heading'),
    explanation: texts.text(isInTime ? 'apps.deletion' : 'apps.deletion_under_way', { date: texts.date(at), school: schoolName }),
    keep: isInTime ? { action: accountPaths.keep, submit: texts.text('apps.keep') } : undefined,
  }
}
