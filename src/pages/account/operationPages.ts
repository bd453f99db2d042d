import type { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { newId } from '../../base/ids.ts'
import { everyRow, firstRows, type ListedRow, type PageOfRows } from '../../base/text/pageOfRows.ts'
import type { Responses, ResponseTo } from '../../school/apiRows.ts'
import { submittedForm } from '../formBody.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments, OwnAnswer, OwnCall } from './accountArguments.ts'
import type { AccountForm } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { found, isClosed } from './found.ts'
import { explained, type OwnContent, type OwnError, type OwnPageContext, type OwnPages } from './ownPage.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** A request for a page, with the operations that the person may call. */
export interface OperationRequest {
  ctx: Context
  person: SignedInPerson
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>
  path: string
  /** @throws Problem */
  perform<Id extends string, const Query extends ListedRow = ListedRow>(
    operation: Id,
    parameters?: Query,
    call?: Omit<OwnCall, 'parameters'>,
  ): Promise<OwnAnswer<ResponseTo<Id, Query>>>
  /**
   * Returns the rows of a list that a section of the page shows, from the place in the address on; none for a person who has no such list, or
   * at a school without the feature. The section, which this names by its id, gets the link to the next rows.
   */
  list<Id extends string, const Query extends ListedRow = ListedRow>(
    section: string,
    operation: Id,
    parameters?: Query,
  ): Promise<readonly ResponseTo<Id, Query>[]>
  each<Id extends string, const Query extends ListedRow = ListedRow>(
    operation: Id,
    parameters?: Query,
  ): AsyncIterable<ResponseTo<Id, Query>>
  /** Returns every row of a list of which a person has few. */
  every<Id extends string, const Query extends ListedRow = ListedRow>(
    operation: Id,
    parameters?: Query,
  ): Promise<readonly ResponseTo<Id, Query>[]>
}

const [rowsOnPage, rowsAtOnce, maxWhole] = [50, 100, 1000]

/** A form of a page, which calls one operation of the API. Its address is that of the page and its name, which can be empty. */
interface FormOf<Id extends string, Done = string | After<ResponseTo<Id, ListedRow>>> {
  operation: Id
  /** Returns parameters in addition to those that the form contains. */
  parameters?(request: OperationRequest): ListedRow | Promise<ListedRow>
  /** Returns the body, if its members are not the fields of the form. */
  body?(form: URLSearchParams, request: OperationRequest): unknown
  /** The notice of the page afterwards, or where the browser goes. */
  done: Done
  /** Returns the notice if nothing is left to do, because the page was older than what it showed. */
  doneBefore?(form: URLSearchParams, request: OperationRequest): Promise<string | undefined>
  /** The texts of problems by code, and by code and field. */
  problems?: Readonly<Record<string, TextKey>>
}

/** Returns the notice, or where the browser goes. A member of an object, so that forms of all operations have a common type. */
type After<Body> = { done(answer: OwnAnswer<Body>, request: OperationRequest): string | Promise<string> }['done']

export type OperationForm = { [Id in keyof Responses]: FormOf<Id> }[keyof Responses] | FormOf<string, string>

/** A page of the account that shows, and changes, what operations of the API return to the person. */
export interface OperationPage<Shown> {
  /** The path of the page, as the router takes it. */
  path: string
  notices: Readonly<Record<string, TextKey>>
  read(request: OperationRequest): Promise<Shown>
  build(context: OperationPageContext, shown: Shown): OwnContent
  forms?: Readonly<Record<string, OperationForm>>
}

export interface OperationPageContext extends OwnPageContext {
  request: OperationRequest
  /** The form that was sent and rejected. */
  sent: URLSearchParams | undefined
  /** Returns a form of the page. Its hidden fields are the parameters of the operation. */
  form(name: string, form: Omit<AccountForm, 'action' | 'hidden'> & { hidden?: Readonly<Record<string, string>> }): AccountForm
}

/** A document that an operation returns to the person. */
export interface OperationFile {
  /** The path of the document, as the router takes it. Its parameters are those of the operation. */
  path: string
  operation: string
  type: 'text/html' | 'text/calendar'
  /** Default: the browser shows the document. */
  filename?(params: Readonly<Record<string, string>>): string
}

/** Adds pages that call operations to the account pages. */
interface OperationPages {
  addPage<Shown>(page: OperationPage<Shown>): void
  addFile(file: OperationFile): void
  /** Adds an address below a page that leads to another page. */
  addRedirect(page: string, name: string, target: (request: OperationRequest) => Promise<string>): void
}

/** Returns a request with the operations that the person may call. */
export function requestOf(
  args: Pick<AccountArguments, 'perform' | 'list'>,
  ctx: Context,
  person: SignedInPerson,
  path: string,
): OperationRequest {
  const read = async <Id extends string, Query extends ListedRow>(
    operation: Id,
    parameters: Query | undefined,
    { limit, cursor }: { limit: number; cursor: unknown },
  ): Promise<PageOfRows<ResponseTo<Id, Query>>> => {
    try {
      return await args.list(ctx, person.accountId, operation, parameters, { limit, ...(typeof cursor === 'string' && { cursor }) })
    } catch (error) {
      if (isClosed(error)) return { rows: [], next: null, previous: null }
      throw error
    }
  }
  const each = <Id extends string, Query extends ListedRow>(operation: Id, parameters?: Query) =>
    everyRow((cursor) => read(operation, parameters, { limit: rowsAtOnce, cursor }))
  return {
    ...{ ctx, person, path, each, params: ctx.params },
    perform: (operation, parameters, call = {}) =>
      args.perform(ctx, person.accountId, operation, { ...call, ...(parameters && { parameters }) }),
    async list<Id extends string, Query extends ListedRow>(section: string, operation: Id, parameters?: Query) {
      const cursor = ctx.query[section]
      const { rows, next } = await read(operation, parameters, { limit: rowsOnPage, cursor })
      ctx.state.lists = [...(ctx.state.lists ?? []), { section, next, cursor: typeof cursor === 'string' ? cursor : undefined }]
      return rows
    },
    every: async (operation, parameters) => (await firstRows(each(operation, parameters), maxWhole)).rows,
  }
}

export function createOperationPages(
  args: AccountArguments,
  {
    present,
    pages,
    router,
    onPage,
    onForm,
  }: { present: AccountPresenter; pages: OwnPages; router: Router; onPage: Middleware; onForm: readonly Middleware[] },
): OperationPages {
  const addPage: OperationPages['addPage'] = (page) => {
    const pathOf = ({ params }: Context): string => page.path.replace(/:(\w+)/g, (_whole, name) => encodeURIComponent(params[name]))

    const show = async (ctx: Context, person: SignedInPerson, errors: readonly OwnError[] = [], sent?: URLSearchParams): Promise<void> => {
      const path = pathOf(ctx)
      const request = requestOf(args, ctx, person, path)
      const shown = await found(() => page.read(request))
      const form: OperationPageContext['form'] = (name, { hidden = {}, ...rest }) => ({
        ...rest,
        action: addressOf(path, name),
        hidden: Object.entries({ ...hidden, once: newId() }).map(([key, value]) => ({ name: key, value })),
      })
      await pages.show(ctx, person, { path, notices: page.notices, errors }, (context) =>
        page.build({ ...context, request, sent, form }, shown),
      )
    }

    const take = async (ctx: Context, form: FormOf<string>): Promise<void> => {
      const sent = submittedForm(ctx)
      const path = pathOf(ctx)
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { texts } = await present.pageContext(ctx, path)
      const request = requestOf(args, ctx, person, path)
      const before = await form.doneBefore?.(sent, request)
      if (before !== undefined) return seeOther(ctx, `${path}?done=${before}`)
      try {
        const { parameters, fields } = args.inputOf(form.operation)
        const valuesOf = (names: readonly string[]): ListedRow =>
          Object.fromEntries(names.flatMap((name) => (sent.get(name) ? [[name, sent.get(name)]] : [])))
        const answer = await request.perform(
          form.operation,
          { ...valuesOf(parameters), ...(await form.parameters?.(request)) },
          {
            body: form.body ? form.body(sent, request) : valuesOf(Object.keys(fields)),
            key: sent.get('once') ?? undefined,
            language: texts.language,
          },
        )
        const done = typeof form.done === 'string' ? form.done : await form.done(answer, request)
        seeOther(ctx, done.includes('/') ? done : `${path}?done=${done}`)
      } catch (error) {
        const { status, code, details } = explained(error)
        ctx.status = status
        const found = details.flatMap(({ field }) => {
          const key = field === undefined ? undefined : form.problems?.[`${code}.${field}`]
          return key ? [{ field: String(field), text: texts.text(key) }] : []
        })
        const key = form.problems?.[code] ?? common[code] ?? 'account.error_other'
        await show(ctx, person, found.length > 0 ? found : [{ text: texts.text(key) }], sent)
      }
    }

    router.get(page.path, onPage, async (ctx) => {
      const person = await signedInOrAway(ctx, args, ctx.path + ctx.search)
      if (person) await show(ctx, person)
    })
    for (const [name, form] of Object.entries(page.forms ?? {})) {
      const address = addressOf(page.path, name)
      router.post(address, ...onForm, (ctx) => take(ctx, form))
      // Reloading the address of a form leads back to its page.
      if (address !== page.path) router.get(address, (ctx) => seeOther(ctx, pathOf(ctx)))
    }
  }

  /** Adds an address that only a signed-in person opens. */
  const addAddress = (path: string, open: (request: OperationRequest) => Promise<void>): void => {
    router.get(path, onPage, async (ctx) => {
      const person = await signedInOrAway(ctx, args, ctx.path)
      if (person) await found(() => open(requestOf(args, ctx, person, ctx.path)))
    })
  }

  return {
    addPage,
    addFile: ({ path, operation, type, filename }) =>
      addAddress(path, async ({ ctx, params, perform }) => {
        const answer = await perform(operation, params, { type })
        ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', ...answer.headers })
        if (filename) ctx.attachment(filename(params))
        ctx.type = answer.type ?? type
        ctx.body = answer.text
      }),
    addRedirect: (page, name, target) => addAddress(`${page}/${name}`, async (request) => seeOther(request.ctx, await target(request))),
  }
}

const addressOf = (path: string, form: string): string => (form === '' ? path : `${path}/${form}`)

/** The texts of problems that every form can have. */
const common: Readonly<Record<string, TextKey>> = { idempotency_key_reused: 'account.sent_before', not_found: 'account.gone' }
