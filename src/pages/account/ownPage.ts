import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import type { Role } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { submittedForm } from '../formBody.ts'
import type { Frame } from '../frame.ts'
import { requireOwnForm } from '../ownForm.ts'
import type { PageContext } from '../pageContext.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import { accountNavigation } from './accountNavigation.ts'
import type { AccountPage, AccountSection, AccountShell } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway } from './confirmation.ts'
import { filledIn } from './keptForms.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** A list that a section of the page shows, the place where it begins, and that of the next rows. */
interface ShownList {
  section: string
  cursor: string | undefined
  next: string | null
}

declare module 'koa' {
  interface DefaultState {
    /** The lists that were read for the page of this request. */
    lists?: readonly ShownList[]
  }
}

/** An error of a submitted form. With a field, it is shown at the field and linked from the summary. */
export interface OwnError {
  field?: string
  text: string
}

/** The content of an account page, as its builder returns it. */
export type OwnContent = Pick<AccountPage, 'sections'> &
  Partial<Pick<AccountPage, 'siblings' | 'back' | 'textLanguage' | 'introduction' | 'neighbours'>> & {
    title: TextKey | { text: string }
    heading: string
  }

/** The values from which an account page is built. */
export interface OwnPageContext {
  texts: Texts
  schoolName: string
  person: SignedInPerson
  role: Role
  now: Date
  /** Returns the error of a field; empty if there is none. */
  errorOf(field: string): string
}

/** Shows and protects the pages of a person's own account. */
export interface OwnPages {
  /** Returns the person whose form this is; undefined if the browser was redirected to the sign-in, which leads back to `page`. */
  owner(ctx: Context, page: string): Promise<SignedInPerson | undefined>
  /** The same for a sensitive form: the person has to confirm who they are first, if they did not sign in within the last ten minutes. */
  confirmedOwner(ctx: Context, page: string): Promise<SignedInPerson | undefined>
  /** Shows the page at `path`. `errors` are those of the form that was submitted. */
  show(
    ctx: Context,
    person: SignedInPerson,
    page: {
      path: string
      /** The page whose link in the navigation is marked. Default: `path`. */
      section?: string
      notices: Readonly<Record<string, TextKey>>
      errors?: readonly OwnError[]
    },
    build: (context: OwnPageContext) => OwnContent,
  ): Promise<void>
  /** Returns what surrounds the content of an account page. */
  shell(ctx: Context, person: SignedInPerson, page: { path: string; heading: string; notice?: string }): Promise<AccountShell>
}

export function createOwnPages(args: AccountArguments, present: AccountPresenter): OwnPages {
  const roleOf = async (ctx: Context, { accountId }: SignedInPerson): Promise<Role> =>
    (await args.findPerson(ctx.state.school.id, accountId))?.role ?? 'learner'

  const shellOf = (
    ctx: Context,
    {
      person,
      role,
      pageContext,
      ...page
    }: { person: SignedInPerson; role: Role; pageContext: PageContext } & {
      path: string
      heading: string
      notice?: string
    },
  ): AccountShell => {
    const { texts } = pageContext
    return {
      navigation: accountNavigation(texts, { role, path: page.path }),
      signedIn: texts.parts('consent.signed_in', { name: plainText(person.who.name, 60), email: plainText(person.who.email, 254) }),
      heading: page.heading,
      notice: page.notice ?? '',
      csrf: present.csrf.issue(ctx, formSubject(person), person.accountId),
      deletion: deletionOf(pageContext, person, new Date()),
    }
  }

  const owner: OwnPages['owner'] = async (ctx, page) => {
    const person = await signedInOrAway(ctx, args, page)
    if (!person) return undefined
    const [subject, token] = [formSubject(person), submittedForm(ctx).get('csrf') ?? undefined]
    const isOlder = !present.csrf.isValid(ctx, subject, token) && present.csrf.accountOf(ctx, token) === person.accountId
    if (isOlder && (await args.keptForms.keep(ctx, page))) {
      // The form was shown in an earlier session of the same person: they check it and send it again.
      seeOther(ctx, page)
      return undefined
    }
    requireOwnForm(ctx, present.csrf, { subject, kind: 'foreign_account_form' })
    await args.keptForms.taken(ctx)
    return person
  }

  return {
    owner,
    confirmedOwner: async (ctx, page) => (await owner(ctx, page)) && confirmedOrAway(ctx, args, `${page}?done=confirmed`),
    async shell(ctx, person, page) {
      return shellOf(ctx, { ...page, person, role: await roleOf(ctx, person), pageContext: await present.pageContext(ctx) })
    },
    async show(ctx, person, { path, section = path, notices, errors = [] }, build) {
      const role = await roleOf(ctx, person)
      const pageContext = await present.pageContext(ctx, path)
      const { texts, schoolName } = pageContext
      const errorOf = (field: string): string => errors.find((one) => one.field === field)?.text ?? ''
      const { title, heading, introduction = [], ...content } = build({ texts, schoolName, person, role, now: new Date(), errorOf })
      const sections = continued(ctx, content.sections, { path, label: texts.text('site.next_page') })
      const done = errors.length === 0 && typeof ctx.query.done === 'string' ? ctx.query.done : ''
      const notice = done === 'confirmed' ? 'confirm.done' : Object.hasOwn(notices, done) ? notices[done] : undefined
      const failed = errors.length > 0 ? `${texts.text('account.error_title')}: ` : ''
      const kept = ctx.method === 'GET' ? await args.keptForms.find(ctx, person.accountId, path) : undefined
      const view: Omit<AccountPage, keyof Frame> & { title: string; again: string } = {
        title: failed + (typeof title === 'string' ? texts.text(title) : title.text),
        again: path,
        ...shellOf(ctx, { person, role, pageContext, path: section, heading, notice: notice ? texts.text(notice) : '' }),
        introduction,
        neighboursLabel: texts.text('site.more_pages'),
        ...content,
        sections,
        ...(sections.some(({ copy }) => copy) && { script: present.views.script.href }),
        errors:
          errors.length === 0
            ? undefined
            : {
                heading: texts.text('account.error_heading'),
                list: errors.map(({ field, text }) => ({ href: field === undefined ? undefined : `#${field}`, text })),
              },
      }
      await present.show(ctx, 'account', view)
      if (!kept || filledIn(String(ctx.body), kept) === undefined) return
      await present.show(ctx, 'account', { ...view, notice: view.notice || texts.text('account.kept') })
      ctx.body = filledIn(String(ctx.body), kept)
    },
  }
}

/**
 * Adds the links to the next rows of the lists that were read for the page.
 * @throws Error if no section shows one of them
 */
function continued(ctx: Context, sections: AccountSection[], { path, label }: { path: string; label: string }): AccountSection[] {
  const { lists = [] } = ctx.state
  const isMissing = ({ section, next }: ShownList): boolean => next !== null && !sections.some(({ id }) => id === section)
  const missing = lists.find(isMissing)
  if (missing) throw new Error(`no section ${missing.section} shows the list`)
  const { q } = ctx.query
  const place = { ...(typeof q === 'string' && { q }), ...Object.fromEntries(lists.map(({ section, cursor }) => [section, cursor])) }
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

/**
 * Returns the problem of an operation that the page explains to the person.
 * @throws the error if it is not a problem of the request, or one that the error page explains
 */
export function explained(error: unknown): Problem {
  if (error instanceof Problem && error.status < 500 && error.status !== 429) return error
  throw error
}
