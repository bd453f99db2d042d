import type { Client, Reply, Sending } from './client.ts'

/** A page, or a redirect to an address of another server. */
export interface Page {
  path: string
  reply: Reply
  leftFor?: URL
}

export interface Browser {
  open(path: string, sending?: Sending): Promise<Page>
  /**
   * Submits the first form of the page that has a field or button of this name, with all its hidden and ticked fields. `allowsAll`
   * also ticks the scopes that are not preselected.
   */
  submit(page: Page, name: string, fields: Record<string, string>, allowsAll?: boolean): Promise<Page>
}

/** Creates a browser without JavaScript and cookies. It follows redirects within the server. */
export function createBrowser(client: Client, origin: string): Browser {
  const cookies = new Map<string, { value: string; path: string }>()

  const open: Browser['open'] = async (path, sending) => {
    let next = path
    let request = sending
    for (let hops = 0; hops < 12; hops += 1) {
      const { pathname } = new URL(next, origin)
      const own = [...cookies].filter(([, cookie]) => pathname.startsWith(cookie.path)).map(([name, { value }]) => `${name}=${value}`)
      const headers = {
        accept: sending?.json ? 'application/json' : 'text/html',
        ...request?.headers,
        ...(own.length > 0 ? { cookie: own.join('; ') } : {}),
      }
      const reply = await client.send(next, { ...request, headers })
      for (const line of [reply.headers['set-cookie'] ?? []].flat()) remember(line)
      const { location } = reply.headers
      if (typeof location !== 'string') return { path: next, reply }
      const target = new URL(location, new URL(next, origin))
      if (target.origin !== origin) return { path: next, reply, leftFor: target }
      next = target.pathname + target.search
      request = undefined
    }
    throw new Error(`more than 12 redirects from ${path}`)
  }

  function remember(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/'
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (value === '' || /expires=Thu, 01 Jan 1970|max-age=0\b/i.test(line)) cookies.delete(name)
    else cookies.set(name, { value, path })
  }

  return {
    open,
    submit(page, name, fields, allowsAll = false) {
      const forms = page.reply.text.match(/<form[\s\S]*?<\/form>/g) ?? []
      const form = forms.find((text) => text.includes(`name="${name}"`))
      if (!form) throw new Error(`no form with ${name} at ${page.path} (${page.reply.status}): ${page.reply.text.slice(0, 400)}`)
      const action = attribute(form, 'action') ?? page.path
      const body: [string, string][] = [...form.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
        const type = attribute(input, 'type')
        const isSent =
          type === 'hidden' ||
          (type === 'checkbox' &&
            (/\bchecked\b/.test(input) || (allowsAll && attribute(input, 'name') === 'scope')) &&
            !/\bdisabled\b/.test(input))
        return isSent ? [[attribute(input, 'name') ?? '', attribute(input, 'value') ?? 'on'] as [string, string]] : []
      })
      const { pathname, search } = new URL(action, new URL(page.path, origin))
      const sent = new URLSearchParams([...body, ...Object.entries(fields)]).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
      return open(pathname + search, { method: 'POST', headers, raw: sent })
    },
  }
}

function attribute(element: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1]
  return value?.replaceAll('&amp;', '&').replaceAll('&#34;', '"')
}
