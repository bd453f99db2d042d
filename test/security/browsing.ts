import type { Agent } from '../support/agent.ts'
import { formsOf, type Page, type Person } from '../support/person.ts'
import { password } from '../support/service.ts'

/** The Cookie header that this browser sends to a path. */
export function cookiesFor({ cookies }: Person, path: string): string {
  return [...cookies]
    .filter(([key]) => path.startsWith(key.split(' ')[1] ?? '/'))
    .map(([key, value]) => `${key.split(' ')[0]}=${value}`)
    .join('; ')
}

export interface Sending {
  headers?: Record<string, string>
  method?: 'GET' | 'POST'
  fields?: URLSearchParams
}

/** One request of this browser, redirects not followed. */
export function sendAs(person: Person, address: string, { headers = {}, fields, method = fields ? 'POST' : 'GET' }: Sending = {}) {
  const url = new URL(address)
  const own = method === 'POST' ? { origin: url.origin, 'sec-fetch-site': 'same-origin' } : {}
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html', cookie: cookiesFor(person, url.pathname), ...own, ...headers },
    ...(fields ? { body: fields } : {}),
  })
}

/** Signs in if required, and stops at the consent page. */
export async function toConsent(
  agent: Agent,
  person: Person,
  { email, parameters }: { email: string; parameters?: Record<string, string | undefined> },
): Promise<Page> {
  const page = await person.open(agent.authorizationUrl(parameters).href)
  return page.html.includes('type="password"') ? person.submit(page, /sign-in$/, { email, password }) : page
}

/** Returns the fields that a browser would send with an unchanged form of the page. */
export function fieldsOf(page: Page, action: RegExp): { address: string; fields: URLSearchParams } {
  const form = formsOf(page.html).find((candidate) => action.test(candidate.action))
  if (!form) throw new Error(`no form ${action} on ${page.url.pathname}: ${page.html.slice(0, 1000)}`)
  const fields = new URLSearchParams()
  for (const { name, value, type, checked, disabled } of form.fields) {
    if (!disabled && (type === 'checkbox' ? checked : type !== 'submit')) fields.append(name, value)
  }
  return { address: new URL(form.action, page.url).href, fields }
}
