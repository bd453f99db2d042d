import type { Context } from 'koa'
import type { School } from '../base/school.ts'
import { type Frame, frame } from './frame.ts'
import type { PageContext } from './pageContext.ts'
import { setPageHeaders } from './pageHeaders.ts'
import type { PageErrorKind } from './pageProblem.ts'
import { plainText } from './plainText.ts'
import type { Views } from './templates.ts'
import type { TextKey } from './texts.ts'

/** An error page for people, with machine-readable lines for agents. */
export interface ErrorPage extends Frame {
  heading: string
  explanation: string
  stepsHeading: string
  steps: LinkedPart[][]
  machineHeading: string
  machine: string[]
}

export interface PageError {
  status: number
  error: string
  errorDescription?: string | undefined
  requestId?: string | undefined
  kind?: PageErrorKind | undefined
}

/** How common apps forget a registration and register again. */
const registerAgain: TextKey[] = [
  'error.unknown_app.claude_code',
  'error.unknown_app.mcp_remote',
  'error.unknown_app.vscode',
  'error.unknown_app.cursor',
  'error.unknown_app.terminal',
  'error.unknown_app.other',
]

const waysOut: Record<PageErrorKind, { heading: TextKey; explanation: TextKey; steps: TextKey[] }> = {
  unknown_app: {
    heading: 'error.unknown_app.heading',
    explanation: 'error.unknown_app.explanation',
    steps: registerAgain,
  },
  expired_app: {
    heading: 'error.expired_app.heading',
    explanation: 'error.expired_app.explanation',
    steps: registerAgain,
  },
  disabled_app: {
    heading: 'error.disabled_app.heading',
    explanation: 'error.disabled_app.explanation',
    steps: ['error.disabled_app.ask'],
  },
  document_app: {
    heading: 'error.document_app.heading',
    explanation: 'error.document_app.explanation',
    steps: ['error.document_app.catalogue', 'error.document_app.register', 'error.document_app.ask'],
  },
  refused_document: {
    heading: 'error.refused_document.heading',
    explanation: 'error.refused_document.explanation',
    steps: ['error.document_app.catalogue', 'error.refused_document.developer', 'error.document_app.ask'],
  },
  unregistered_address: {
    heading: 'error.unregistered_address.heading',
    explanation: 'error.unregistered_address.explanation',
    steps: ['error.unregistered_address.register', 'error.unregistered_address.nothing_sent'],
  },
  interaction_expired: {
    heading: 'error.interaction_expired.heading',
    explanation: 'error.interaction_expired.explanation',
    steps: ['error.interaction_expired.again', 'error.interaction_expired.same_browser', 'error.interaction_expired.cookies'],
  },
  already_allowed: {
    heading: 'error.already_allowed.heading',
    explanation: 'error.already_allowed.explanation',
    steps: ['error.already_allowed.back', 'error.already_allowed.apps'],
  },
  already_refused: {
    heading: 'error.already_refused.heading',
    explanation: 'error.already_refused.explanation',
    steps: ['error.already_refused.again'],
  },
  foreign_form: {
    heading: 'error.foreign_form.heading',
    explanation: 'error.foreign_form.explanation',
    steps: ['error.foreign_form.again', 'error.interaction_expired.cookies', 'error.foreign_form.suspicion'],
  },
  foreign_account_form: {
    heading: 'error.foreign_form.heading',
    explanation: 'error.foreign_form.explanation',
    steps: ['error.foreign_account_form.again', 'error.interaction_expired.cookies', 'error.foreign_form.suspicion'],
  },
  foreign_school_form: {
    heading: 'error.foreign_form.heading',
    explanation: 'error.foreign_form.explanation',
    steps: ['error.foreign_school_form.again', 'error.foreign_form.suspicion'],
  },
  nothing_here: {
    heading: 'error.nothing_here.heading',
    explanation: 'error.nothing_here.explanation',
    steps: ['error.nothing_here.account'],
  },
  wrong_unsubscribe_link: {
    heading: 'error.wrong_unsubscribe_link.heading',
    explanation: 'error.wrong_unsubscribe_link.explanation',
    steps: ['error.wrong_unsubscribe_link.account'],
  },
  no_such_page: {
    heading: 'error.no_such_page.heading',
    explanation: 'error.no_such_page.explanation',
    steps: ['error.no_such_page.home'],
  },
  bad_request: {
    heading: 'error.bad_request.heading',
    explanation: 'error.bad_request.explanation',
    steps: ['error.bad_request.again', 'error.bad_request.report'],
  },
  busy: { heading: 'error.busy.heading', explanation: 'error.busy.explanation', steps: ['error.busy.wait'] },
  unavailable: { heading: 'error.unavailable.heading', explanation: 'error.unavailable.explanation', steps: ['error.unavailable.wait'] },
  server_error: {
    heading: 'error.server_error.heading',
    explanation: 'error.server_error.explanation',
    steps: ['error.server_error.again', 'error.server_error.report'],
  },
}

export function errorPage(views: Views, pageContext: PageContext, { issuer, ...error }: PageError & { issuer: string }): ErrorPage {
  const { texts } = pageContext
  const way = waysOut[error.kind ?? kindOf(error)]
  const values = { issuer }
  const machine = { error: error.error, error_description: error.errorDescription, request_id: error.requestId }
  return {
    // No language links: they would repeat the request that has just failed.
    ...frame(views, { ...pageContext, languageLinks: [] }, texts.text(way.heading)),
    heading: texts.text(way.heading),
    explanation: texts.text(way.explanation, values),
    stepsHeading: texts.text('error.steps_heading'),
    steps: way.steps.map((step) => linkedText(texts.text(step, values), issuer)),
    machineHeading: texts.text('error.machine_heading'),
    machine: Object.entries(machine)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${plainText(value, 400)}`),
  }
}

/** Responds with the error page. All its links are to pages of the service and to legal documents. */
export function showErrorPage(ctx: Context, views: Views, pageContext: PageContext, error: PageError): void {
  const { school }: { school?: School } = ctx.state
  ctx.status = error.status
  ctx.remove('Location')
  if (error.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', '2')
  setPageHeaders(ctx)
  // Agents that test the URL ask for JSON or for something that no page is. Clients without an Accept header get the page.
  ctx.vary('Accept')
  if (ctx.accepts('html', 'json') !== 'html') {
    ctx.body = { error: error.error, error_description: plainText(error.errorDescription ?? '', 400), request_id: error.requestId }
    return
  }
  ctx.type = 'html'
  ctx.body = views.render('error', errorPage(views, pageContext, { issuer: school?.issuer ?? '', ...error }))
}

function kindOf({ status, error }: PageError): PageErrorKind {
  if (error === 'invalid_client') return 'unknown_app'
  if (error === 'invalid_redirect_uri') return 'unregistered_address'
  if (status === 429 || status === 503) return 'busy'
  return status >= 500 ? 'server_error' : 'bad_request'
}

interface LinkedPart {
  text: string
  href?: string
}

const pagePaths = ['/account/apps', '/docs/apps', '/auth.md', '/']

/** Splits a sentence of the service, so that the URLs of these pages become links. Other URLs, such as those of endpoints, remain text. */
export function linkedText(text: string, issuer: string): LinkedPart[] {
  if (issuer === '') return [{ text }]
  const urls = pagePaths.map((path) => RegExp.escape(issuer + path)).join('|')
  return text
    .split(new RegExp(`((?:${urls})(?![\\w/-]))`))
    .filter((part) => part !== '')
    .map((part) => (pagePaths.some((path) => part === issuer + path) ? { text: part, href: part.slice(issuer.length) } : { text: part }))
}
