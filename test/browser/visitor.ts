import type { BrowserContextOptions, CDPSession, Page, Response } from 'playwright-core'
import { sharedChromium } from '../support/chromium.ts'
import { formsOf } from '../support/person.ts'
import { until } from '../support/poll.ts'

/** A person with a separate browser window. */
export interface Visitor {
  page: Page
  /** The page as the service sent it. */
  html(): Promise<string>
  /** Violations of the content security policy, and everything in the browser's console. */
  complaints(): string[]
  /** Origins that any request of the window went to. */
  origins(): string[]
  /** Turns the window into a new one: without cookies, and with nothing noted. A new window would start another process of the browser. */
  startOver(): Promise<void>
  close(): Promise<void>
}

// Runs before the scripts of the page. Without scripts it does not run, and only the issues below report.
const listen = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('securitypolicyviolation: ' + event.violatedDirective + ' ' + event.blockedURI))`

export async function openVisitor(options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await (await sharedChromium()).newContext(options)
  context.setDefaultTimeout(30_000)
  await context.addInitScript({ content: listen })
  const page = await context.newPage()
  const complaints: string[] = []
  const origins = new Set<string>()
  let shown: Response | undefined
  page.on('response', (response) => {
    const isRedirect = response.status() >= 300 && response.status() < 400
    if (response.request().isNavigationRequest() && !isRedirect) shown = response
  })
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  context.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })
  const developer = await context.newCDPSession(page)
  developer.on('Audits.issueAdded', ({ issue }) => {
    const breach = issue.details.contentSecurityPolicyIssueDetails
    if (breach) complaints.push(`issue: ${breach.violatedDirective} ${breach.blockedURL ?? ''}`)
  })
  await developer.send('Audits.enable')
  return {
    page,
    html: async () => (await shown?.text()) ?? '',
    complaints: () => [...complaints],
    origins: () => [...origins],
    async startOver() {
      // A page that is still loading would add to the notes. While it redirects, the first attempt fails.
      await until(() => page.goto('about:blank').then(() => true), { what: 'an empty page' })
      await context.clearCookies()
      complaints.length = 0
      origins.clear()
      shown = undefined
    },
    close: () => context.close(),
  }
}

/** Fills in and sends the sign-in form that the page shows, in either language. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.locator('#email').fill(email)
  await page.locator('#password').fill(password)
  await page.locator('button.main').click()
}

/**
 * Sends the first form of a page with the cookies of the window, which shows neither the page nor the response. Returns the address to which
 * the service sends the browser, or of the page.
 */
export async function sendForm(
  page: Page,
  url: string,
  fields: Record<string, string> | ((html: string) => Record<string, string>),
): Promise<string> {
  // A new account gets the language of its window.
  const headers = { 'accept-language': await page.evaluate<string>('navigator.language'), origin: new URL(url).origin }
  const shown = await page.request.get(url, { headers })
  const html = await shown.text()
  const [form] = formsOf(html)
  if (!form) throw new Error(`no form on ${shown.url()} (${shown.status()}): ${html.slice(0, 1500)}`)
  const hidden = form.fields.filter(({ type }) => type === 'hidden').map(({ name, value }) => [name, value])
  const sent = await page.request.post(new URL(form.action, shown.url()).href, {
    form: { ...Object.fromEntries(hidden), ...(typeof fields === 'function' ? fields(html) : fields) },
    headers,
    maxRedirects: 0,
  })
  if (sent.status() >= 400) throw new Error(`${sent.url()}: ${sent.status()} ${(await sent.text()).slice(0, 1500)}`)
  return new URL(sent.headers().location ?? '', sent.url()).href
}

/** Signs the window in with the form to which an address leads. Returns the address to which the service then sends the browser. */
export async function sendSignIn(page: Page, url: string, email: string, password: string): Promise<string> {
  return await sendForm(page, url, { email, password })
}

export const box = (page: Page, scope: string) => page.locator(`input[type="checkbox"][value="${scope}"]`)

/** Gives the window an authenticator that stores passkeys and verifies its person without being asked. */
export async function addAuthenticator(page: Page): Promise<{ developer: CDPSession; authenticatorId: string }> {
  const developer = await page.context().newCDPSession(page)
  await developer.send('WebAuthn.enable')
  const options = {
    ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const),
    ...{ isUserVerified: true, automaticPresenceSimulation: true },
  }
  const { authenticatorId } = await developer.send('WebAuthn.addVirtualAuthenticator', { options })
  return { developer, authenticatorId }
}
