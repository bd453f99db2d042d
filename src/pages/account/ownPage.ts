import type { Context, Middleware } from 'koa'
import type { Role } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { ListedRow } from '../../base/text/pageOfRows.ts'
import type { SchoolDatabase, SchoolReader } from '../../database/connection/database.ts'
import type { Responses, ResponseTo } from '../../school/apiRows.ts'
import type { PageContext } from '../pageContext.ts'
import { PageProblem } from '../pageProblem.ts'
import type { PageAuditEntry } from '../pagesArguments.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountServices, OwnAnswer, OwnCall } from './accountArguments.ts'
import type { AccountForm, AccountPage } from './accountPage.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** A request about an account. */
export interface AccountRequest {
  ctx: Context
  services: AccountServices
  school: School
  accountId: string
  /** The submitted form; empty if there is none. */
  sent: URLSearchParams
  database: SchoolDatabase
  reader: SchoolReader
  /** Runs work in a transaction. */
  change: SchoolDatabase['transaction']
  /** Records an event, by default of this account. */
  audit(event: PageAuditEntry['event'], entry?: Pick<PageAuditEntry, 'account_id' | 'client_id' | 'grant_id' | 'details'>): Promise<void>
}

/** A request of a person for a page of their account. */
export interface OwnRequest extends AccountRequest {
  person: SignedInPerson
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>
  path: string
  role(): Promise<Role>
  pageContext(): Promise<PageContext>
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

interface AnyForm {
  /** The texts of problems by code, and by code and field; that of every other problem is under `other`. */
  problems?: Readonly<Record<string, TextKey>>
  /** The field at which problems are shown. Default: above the page. */
  field?: string
  /** True if the person has to confirm who they are first, if they did not sign in within the last ten minutes. */
  isConfirmed?: boolean
  /** Where a sign-in leads. Default: the page. */
  backTo?(sent: URLSearchParams, school: School): string
}

/** A form that calls one operation of the API. */
export interface FormOf<Id extends string, Done = string | After<ResponseTo<Id, ListedRow>>> extends AnyForm {
  operation: Id
  /** Returns parameters in addition to those that the form contains. */
  parameters?(request: OwnRequest): ListedRow | Promise<ListedRow>
  /** Returns the body, if its members are not the fields of the form. */
  body?(form: URLSearchParams, request: OwnRequest): unknown
  /** Returns the entity tag of the version that the person saw. */
  ifMatch?(form: URLSearchParams): string
  /** The notice of the page afterwards, or where the browser goes. */
  done: Done
  /** Returns the notice if nothing is left to do, because the page was older than what it showed. */
  doneBefore?(form: URLSearchParams, request: OwnRequest): Promise<string | undefined>
}

/** A form for which there is no single operation. */
export interface RunForm extends AnyForm {
  /** True if the form has a file: `run` reads it, and checks its token. */
  hasFile?: boolean
  /** Returns the notice of the page afterwards, or where the browser goes; undefined if it has responded. */
  run(request: OwnRequest): Promise<string | undefined>
}

/** Returns the notice, or where the browser goes. A member of an object, so that forms of all operations have a common type. */
type After<Body> = { done(answer: OwnAnswer<Body>, request: OwnRequest): string | Promise<string> }['done']

export type OwnForm = { [Id in keyof Responses]: FormOf<Id> }[keyof Responses] | FormOf<string, string> | RunForm

/** Decides who opens a page, and whose forms it takes. Both functions return undefined if the browser was redirected to the sign-in, which leads back to `page`. */
export interface PageAccess {
  open(ctx: Context, services: AccountServices, page: string): Promise<SignedInPerson | undefined>
  /** @throws Problem access_denied if the form was not shown in this session */
  own(ctx: Context, services: AccountServices, page: string, isConfirmed: boolean): Promise<SignedInPerson | undefined>
}

/** A page of the account, with its forms by their names. The address of a form is that of the page and its name, or its name if that is a path. */
export type OwnPage<Shown> = BasicPage & (BuiltPage<Shown> | OwnView | { leadsTo: string })

export interface BasicPage {
  /** The path of the page, as the router takes it. */
  path: string
  /** The page whose link in the navigation is marked. Default: this one. */
  section?: string
  /** Default: everybody who is signed in. */
  access?: PageAccess
  notices?: Notices | ((request: OwnRequest) => Notices)
  forms?: Readonly<Record<string, OwnForm>>
  /** The page to which GET leads, if another page has the forms. */
  leadsTo?: string
}

export interface BuiltPage<Shown> {
  read(request: OwnRequest): Promise<Shown>
  build(context: OwnPageContext, shown: Shown): OwnContent
}

interface OwnView {
  show(request: OwnRequest): Promise<void>
}

/** The notices after a form, by the value of the query parameter `done`. */
type Notices = Readonly<Record<string, TextKey>>

/** A page of the account for people who are not signed in. */
export interface VisitorPage {
  show: Middleware
  answer: Middleware
}

/** An error of a submitted form. With a field, it is shown at the field and linked from the summary. */
export interface OwnError {
  field?: string
  text: string
}

/** The content of an account page, as its builder returns it. */
export type OwnContent = Pick<AccountPage, 'sections'> &
  Partial<Pick<AccountPage, 'back' | 'textLanguage' | 'introduction' | 'neighbours'>> & {
    title: TextKey | { text: string }
    /** Default: the title. */
    heading?: string
  }

/** The values from which an account page is built. */
export interface OwnPageContext {
  request: OwnRequest
  texts: Texts
  schoolName: string
  person: SignedInPerson
  role: Role
  now: Date
  /** The form that was sent and rejected. */
  sent: URLSearchParams | undefined
  /** Returns the error of a field; empty if there is none. */
  errorOf(field: string): string
  /** Returns a form of the page. Its hidden fields are the parameters of the operation. */
  form(name: string, form: Omit<AccountForm, 'action' | 'hidden'> & { hidden?: Readonly<Record<string, string>> }): AccountForm
}

/** Ends a form: its page says why. */
export class Refused extends Error {
  readonly status: number
  readonly errors: readonly OwnError[]
  constructor(status: number, ...errors: OwnError[]) {
    super('the form was refused')
    this.status = status
    this.errors = errors
  }
}

/**
 * Returns the problem of an operation that the page explains to the person.
 * @throws the error if it is not a problem of the request, or one that the error page explains
 */
export function explained(error: unknown): Problem {
  if (error instanceof Problem && !(error instanceof PageProblem) && error.status < 500 && error.status !== 429) return error
  throw error
}

/** True if another site does not show the public pages of the school. */
export const hasSite = ({ request: { services, school } }: OwnPageContext): boolean => services.hasPages(school)
