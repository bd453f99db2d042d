/** A browser that follows no redirect by itself, so that a test controls every request. */
export interface Browser {
  get(address: string, headers?: Record<string, string>): Promise<Answer>
  post(address: string, fields: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Answer>
  /** Sends a request of any form, from the origin of the service. */
  send(address: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Answer>
  /** Follows redirects within the service until a page or the way out. */
  follow(answer: Answer): Promise<Answer>
  cookie(name: string, path?: string): string | undefined
  /** Returns another browser with the same cookies. */
  copy(): Browser
  /** Plants a cookie, as an attacker or another browser would. */
  plant(name: string, value: string, path?: string): void
}

export interface Answer {
  url: URL
  status: number
  html: string
  headers: Headers
  location: URL | undefined
}

/** `always` are headers of every request, such as the name of the browser. */
export function createBrowser(
  base: string,
  always: Record<string, string> = {},
  jar = new Map<string, { name: string; value: string; path: string }>(),
): Browser {
  const keep = (line: string): void => {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    const path = attributes.find((text) => text.startsWith('path=') || text.startsWith('Path='))?.slice(5) ?? '/'
    if (pair.length === at + 1) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { name, value: pair.slice(at + 1), path })
  }

  const send = async (address: string, init: RequestInit): Promise<Answer> => {
    const url = new URL(address, base)
    const cookies = [...jar.values()].filter(({ path }) => path === '/' || url.pathname === path || url.pathname.startsWith(`${path}/`))
    const headers = { accept: 'text/html', ...always, ...(init.headers as Record<string, string>) }
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, headers: cookie ? { ...headers, cookie } : headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(line)
    const to = response.headers.get('location')
    return {
      url,
      status: response.status,
      html: await response.text(),
      headers: response.headers,
      location: to ? new URL(to, url) : undefined,
    }
  }

  return {
    get: (address, headers = {}) => send(address, { headers }),
    post(address, fields, headers = {}) {
      const body = new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
      )
      return send(address, { method: 'POST', body, headers: { origin: new URL(base).origin, ...headers } })
    },
    send: (address, init) => send(address, { ...init, headers: { origin: new URL(base).origin, ...init.headers } }),
    async follow(answer) {
      let current = answer
      for (let hops = 0; current.location && current.location.origin === new URL(base).origin; hops++) {
        if (hops > 10) throw new Error('redirected for ever')
        current = await send(current.location.href, {})
      }
      return current
    },
    cookie: (name, path = '/') => jar.get(`${name} ${path}`)?.value,
    copy: () => createBrowser(base, always, new Map(jar)),
    plant: (name, value, path = '/') => jar.set(`${name} ${path}`, { name, value, path }),
  }
}

/** The value of the first input with this name. */
export function field(html: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]
  if (value === undefined) throw new Error(`the page has no field ${name}: ${html.slice(0, 1500)}`)
  return value
}

/** The scopes that a consent page has boxes for, and whether they are ticked. */
export function boxes(html: string): Map<string, boolean> {
  return new Map(
    [...html.matchAll(/<input type="checkbox"[^>]* name="scope" value="([^"]*)"( checked)?(?: data-others)?>/g)].map(
      ([, name = '', ticked]) => [name, ticked !== undefined],
    ),
  )
}
