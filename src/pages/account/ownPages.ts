import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { escapeHtml } from '../../base/text/escapeHtml.ts'
import type { ListedRow } from '../../base/text/pageOfRows.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountServices } from './accountArguments.ts'
import { confirmedOrAway } from './confirmation.ts'
import { found } from './found.ts'
import { explained, type FormOf, type OwnError, type OwnPage, type OwnRequest, type PageAccess, Refused } from './ownPage.ts'
import { createOwnRequest } from './ownRequest.ts'
import { formAddress, showOwnPage } from './showOwnPage.ts'
import { formSubject, signedInOrAway } from './signedInPerson.ts'

/** A document that an operation returns to the person. */
export interface OperationFile {
  /** The path of the document, as the router takes it. Its parameters are those of the operation. */
  path: string
  operation: string
  type: 'text/html' | 'text/calendar'
  /** Default: the browser shows the document. */
  filename?(params: Readonly<Record<string, string>>): string
}

interface OwnPages {
  addPage<Shown>(page: OwnPage<Shown>): void
  addFile(file: OperationFile): void
  /** Adds an address at which only a signed-in person gets a response. */
  addAddress(path: string, open: (request: OwnRequest) => Promise<void>): void
}

/** The pages that everybody who is signed in has. */
const ofEverybody: PageAccess = {
  open: signedInOrAway,
  async own(ctx, services, page, isConfirmed) {
    const person = await signedInOrAway(ctx, services, page)
    if (!person) return undefined
    const { present, keptForms } = services
    const [subject, token] = [formSubject(person), submittedForm(ctx).get('csrf') ?? undefined]
    const isOlder = !present.csrf.isValid(ctx, subject, token) && present.csrf.accountOf(ctx, token) === person.accountId
    if (isOlder && (await keptForms.keep(ctx, page))) {
      // The form was shown in an earlier session of the same person: they check it and send it again.
      seeOther(ctx, page)
      return undefined
    }
    requireOwnForm(ctx, present.csrf, { subject, kind: 'foreign_account_form' })
    await keptForms.taken(ctx)
    return isConfirmed ? await confirmedOrAway(ctx, services, `${page}?done=confirmed`) : person
  },
}

export function createOwnPages(
  services: AccountServices,
  { router, onPage, onForm, onFile }: { router: Router; onPage: Middleware; onForm: readonly Middleware[]; onFile: readonly Middleware[] },
): OwnPages {
  const addPage: OwnPages['addPage'] = (page) => {
    const { path: pattern, access = ofEverybody, section, notices = {}, forms = {}, leadsTo } = page
    const pathOf = ({ params }: Context): string => pattern.replace(/:(\w+)/g, (_whole, name) => encodeURIComponent(params[name]))

    const show = async (request: OwnRequest, errors: readonly OwnError[] = []): Promise<void> => {
      if ('show' in page) return await page.show(request)
      if (!('read' in page)) throw new Error(`a form of ${pattern} was refused without a page`)
      const { path } = request
      const shown = await found(() => page.read(request))
      const named = typeof notices === 'function' ? notices(request) : notices
      await showOwnPage(request, { path, section: section ?? path, notices: named, errors }, (context) => page.build(context, shown))
    }

    if (leadsTo !== undefined) router.get(pattern, (ctx) => seeOther(ctx, leadsTo))
    else
      router.get(pattern, onPage, async (ctx) => {
        const person = await access.open(ctx, services, ctx.path + ctx.search)
        if (person) await show(createOwnRequest(services, ctx, person, pathOf(ctx)))
      })
    for (const [name, form] of Object.entries(forms)) {
      const take = async (ctx: Context): Promise<void> => {
        const path = pathOf(ctx)
        const hasFile = 'hasFile' in form && form.hasFile === true
        const back = form.backTo?.(submittedForm(ctx), ctx.state.school) ?? path
        const person = hasFile ? await access.open(ctx, services, back) : await access.own(ctx, services, back, form.isConfirmed ?? false)
        if (!person) return
        const request = createOwnRequest(services, ctx, person, path)
        try {
          const done = 'run' in form ? await form.run(request) : await call(form, request)
          if (done !== undefined) seeOther(ctx, done.includes('/') ? done : `${path}?done=${done}`)
        } catch (error) {
          if (error instanceof Refused) {
            ctx.status = error.status
            return await show(request, error.errors)
          }
          if ('run' in form && !form.problems) throw error
          const { status, code, details } = explained(error)
          const key = form.problems?.[code] ?? form.problems?.other ?? ('run' in form ? undefined : (common[code] ?? 'account.error_other'))
          const { texts } = await request.pageContext()
          const errors = details.flatMap(({ field }) => {
            const ofField = field === undefined ? undefined : form.problems?.[`${code}.${field}`]
            return ofField ? [{ field: String(field), text: texts.text(ofField) }] : []
          })
          if (errors.length === 0 && !key) throw error
          ctx.status = status
          await show(
            request,
            errors.length > 0 || !key ? errors : [{ ...(form.field !== undefined && { field: form.field }), text: texts.text(key) }],
          )
        }
      }
      const address = formAddress(pattern, name)
      router.post(address, ...('hasFile' in form && form.hasFile ? onFile : onForm), take)
      // Reloading the address of a form leads back to its page.
      if (address !== pattern) router.get(address, (ctx) => seeOther(ctx, leadsTo ?? pathOf(ctx)))
    }
  }

  /** Calls the operation of a form. Returns the notice, or where the browser goes. */
  const call = async (form: FormOf<string>, request: OwnRequest): Promise<string> => {
    const { sent } = request
    const { texts } = await request.pageContext()
    const before = await form.doneBefore?.(sent, request)
    if (before !== undefined) return before
    const { parameters, fields } = services.inputOf(form.operation)
    const valuesOf = (names: readonly string[]): ListedRow =>
      Object.fromEntries(names.flatMap((name) => (sent.get(name) ? [[name, sent.get(name)]] : [])))
    const answer = await request.perform(
      form.operation,
      { ...valuesOf(parameters), ...(await form.parameters?.(request)) },
      {
        body: form.body ? await form.body(sent, request) : valuesOf(Object.keys(fields)),
        key: sent.get('once') ?? undefined,
        language: texts.language,
        ...(form.ifMatch && { ifMatch: form.ifMatch(sent) }),
      },
    )
    return typeof form.done === 'string' ? form.done : await form.done(answer, request)
  }

  const addAddress: OwnPages['addAddress'] = (path, open) => {
    router.get(path, onPage, async (ctx) => {
      const person = await signedInOrAway(ctx, services, ctx.path)
      if (person) await found(() => open(createOwnRequest(services, ctx, person, ctx.path)))
    })
  }

  return {
    addPage,
    addAddress,
    addFile: ({ path, operation, type, filename }) =>
      addAddress(path, async ({ ctx, params, perform, school, pageContext }) => {
        const withPrintButton = async (html: string): Promise<string> => {
          const { script } = services.present.views
          ctx.set('Content-Security-Policy', `${ctx.response.get('Content-Security-Policy')}; script-src ${school.issuer}${script.path}`)
          const { texts } = await pageContext()
          const button = `<p hidden><button type="button" data-prints>${escapeHtml(texts.text('certificate.print'))}</button></p>`
          return html.replace('</main>', () => `${button}<script src="${script.href}" defer></script></main>`)
        }
        const answer = await perform(operation, params, { type })
        ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', ...answer.headers })
        if (filename) ctx.attachment(filename(params))
        ctx.type = answer.type ?? type
        ctx.body = type === 'text/html' ? await withPrintButton(answer.text ?? '') : answer.text
      }),
  }
}

/** The texts of problems that every form of an operation can have. */
const common: Readonly<Record<string, TextKey>> = { idempotency_key_reused: 'account.sent_before', not_found: 'account.gone' }
