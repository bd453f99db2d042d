import { unescapeHtml } from '../../base/text/escapeHtml.ts'
import { type HttpRequest, type HttpResponse, sendRequest } from './sendRequest.ts'

/** A browser without scripts, for pages of one origin: cookies, redirects and forms. */
export interface Browser {
  /** Opens an address and follows redirects. Returns the page, or the address outside of the origin to which it leads. */
  open(address: string): Promise<Page>
  submit(page: Page, action: RegExp, values?: Record<string, string>): Promise<Page>
}

export interface Page {
  address: URL
  status: number
  html: string
  leftFor?: URL
}

const maxRedirects = 10

export function createBrowser(send = sendRequest): Browser {
  const cookies = new Map<string, string>()
  const go = async (address: string, first: HttpRequest = {}): Promise<Page> => {
    let [url, request] = [new URL(address), first]
    for (let count = 0; count < maxRedirects; count += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const got: HttpResponse = await send(url.href, {
        ...request,
        headers: { accept: 'text/html', ...(cookie && { cookie }), ...request.headers },
      })
      for (const line of got.headers['set-cookie'] ?? []) keep(cookies, line)
      const { location } = got.headers
      if (location === undefined) return { address: url, status: got.status, html: got.text }
      const next = new URL(location, url)
      if (next.origin !== url.origin) return { address: url, status: got.status, html: got.text, leftFor: next }
      ;[url, request] = [next, {}]
    }
    throw new Error(`more than ${maxRedirects} redirects from ${new URL(address).pathname}`)
  }
  return {
    open: (address) => go(address),
    async submit({ address, html, status }, action, values = {}) {
      const form = formsOf(html).find((one) => action.test(one.action))
      if (!form) throw new Error(`${address.pathname} answers ${status} without the expected form`)
      const body = new URLSearchParams(form.fields.map(([name, value]): [string, string] => [name, values[name] ?? value]))
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: address.origin, 'sec-fetch-site': 'same-origin' }
      return await go(new URL(form.action, address).href, { method: 'POST', headers, body: String(body) })
    },
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}

/** Returns the forms of a page with their fields. Boxes count if they are ticked. */
function formsOf(html: string): { action: string; fields: [name: string, value: string][] }[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = '', inner = '']) => ({
    action: attributeOf(attributes, 'action') ?? '',
    fields: [...inner.matchAll(/<input\b([^>]*)>/g)].flatMap(([, text = '']): [string, string][] => {
      const [name, type] = [attributeOf(text, 'name'), attributeOf(text, 'type') ?? 'text']
      const isOff = (type === 'checkbox' || type === 'radio') && !/\schecked(?=[\s=>/]|$)/.test(text)
      return name === undefined || isOff || /\sdisabled(?=[\s=>/]|$)/.test(text)
        ? []
        : [[name, attributeOf(text, 'value') ?? (type === 'checkbox' ? 'on' : '')]]
    }),
  }))
}

function attributeOf(text: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}\\s*=\\s*"([^"]*)"`).exec(` ${text}`)?.[1]
  return value === undefined ? undefined : unescapeHtml(value)
}
