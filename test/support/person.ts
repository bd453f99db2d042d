/** A person with a browser that knows no JavaScript: cookies, redirects and forms, over real HTTP. */
export interface Person {
  /** Opens an address and follows redirects within the service. */
  open(url: string): Promise<Page>
  /** Fills in and sends a form of the page. A field set to `false` is left unticked. */
  submit(page: Page, form: string | RegExp, fields?: Record<string, string | boolean>): Promise<Page>
  /** Signs in and consents. Returns the final redirect, at which no server listens. */
  authorize(url: string, choice?: Choice): Promise<URL>
  cookies: Map<string, string>
}

export interface Choice {
  email?: string
  password?: string
  /** `all` ticks every box that can be ticked; a list ticks those; absent leaves the boxes as the page proposes. */
  scopes?: 'all' | readonly string[]
  /** Chosen in the list of durations; absent leaves the proposed one. */
  duration?: string
  refuse?: boolean
}

export interface Page {
  url: URL
  status: number
  html: string
  headers: Headers
  /** Where the service sends the browser outside of itself. */
  leftFor?: URL
}

interface Field {
  name: string
  value: string
  type: string
  checked: boolean
  disabled: boolean
}

export interface PersonOptions {
  email: string
  password: string
  userAgent?: string
  /** Sends the requests of the browser. */
  fetch?: (url: URL, init: RequestInit) => Promise<Response>
}

export function createPerson({ email, password, userAgent, fetch: send = fetch }: PersonOptions): Person {
  const cookies = new Map<string, string>()

  const go = async (address: string, init: RequestInit = {}): Promise<Page> => {
    let url = new URL(address)
    let request = init
    for (let hops = 0; hops < 20; hops += 1) {
      const headers = new Headers(request.headers)
      headers.set('accept', 'text/html')
      if (userAgent !== undefined) headers.set('user-agent', userAgent)
      const matching = [...cookies].filter(([key]) => url.pathname.startsWith(key.split(' ')[1] ?? '/'))
      if (matching.length > 0) headers.set('cookie', matching.map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; '))
      const response = await send(url, { ...request, headers, redirect: 'manual' })
      for (const line of response.headers.getSetCookie()) remember(line)
      const location = response.headers.get('location')
      const html = await response.text()
      if (!location) return { url, status: response.status, html, headers: response.headers }
      const next = new URL(location, url)
      if (next.host !== url.host) return { url, status: response.status, html, headers: response.headers, leftFor: next }
      url = next
      request = {}
    }
    throw new Error(`more than 20 redirects from ${address}`)
  }

  const remember = (line: string): void => {
    const [pair = '', ...attributes] = line.split(';')
    const at = pair.indexOf('=')
    const path =
      attributes
        .map((part) => part.trim())
        .find((part) => part.toLowerCase().startsWith('path='))
        ?.slice(5) ?? '/'
    const key = `${pair.slice(0, at)} ${path}`
    const value = pair.slice(at + 1)
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(key)
    else cookies.set(key, value)
  }

  const submit: Person['submit'] = async (page, which, fields = {}) => {
    const form = formsOf(page.html).find(({ action }) => (typeof which === 'string' ? action.endsWith(which) : which.test(action)))
    if (!form) throw new Error(`no form ${which} on ${page.url.pathname} (${page.status}): ${page.html.slice(0, 2000)}`)
    const body = new URLSearchParams()
    for (const field of form.fields) {
      if (field.disabled) continue
      const key = field.type === 'checkbox' ? field.value : field.name
      const wanted = fields[key] ?? fields[field.name]
      if (field.type === 'checkbox') {
        if (wanted === undefined ? field.checked : wanted !== false) body.append(field.name, field.value)
      } else if (field.type !== 'submit') {
        body.append(field.name, typeof wanted === 'string' ? wanted : field.value)
      }
    }
    return go(new URL(form.action, page.url).href, {
      method: form.method,
      body,
      headers: { origin: page.url.origin, 'sec-fetch-site': 'same-origin' },
    })
  }

  return {
    cookies,
    open: (url) => go(url),
    submit,
    async authorize(url, choice = {}) {
      let page = await go(url)
      for (let steps = 0; steps < 6; steps += 1) {
        if (page.leftFor) return page.leftFor
        if (page.html.includes('type="password"')) {
          page = await submit(page, /sign-in$/, { email: choice.email ?? email, password: choice.password ?? password })
        } else if (choice.refuse) {
          page = await submit(page, /refuse$/)
        } else {
          const boxes = formsOf(page.html).flatMap((form) =>
            form.fields.filter((field) => field.type === 'checkbox' && field.name === 'scope'),
          )
          const ticks =
            choice.scopes === undefined
              ? {}
              : Object.fromEntries(
                  boxes.map(({ value }) => [value, choice.scopes === 'all' || (choice.scopes as string[]).includes(value)]),
                )
          page = await submit(page, /consent$/, { ...ticks, ...(choice.duration !== undefined && { duration: choice.duration }) })
        }
      }
      throw new Error(`the authorization did not end: ${page.status} ${page.url.pathname} ${page.html.slice(0, 2000)}`)
    },
  }
}

/** Returns the forms of a page with their fields; a button with another action counts as a separate form. */
export function formsOf(html: string): { action: string; method: string; fields: Field[] }[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, attributes = '', inner = '']) => {
    const targets = [...inner.matchAll(/<button\b([^>]*)>/g)].map(([, text = '']) => attribute(text, 'formaction'))
    const form = formOf(attributes, inner)
    return [form, ...targets.filter((action) => action !== undefined).map((action) => ({ ...form, action }))]
  })
}

function formOf(attributes: string, inner: string): { action: string; method: string; fields: Field[] } {
  return {
    action: attribute(attributes, 'action') ?? '',
    method: (attribute(attributes, 'method') ?? 'get').toUpperCase(),
    fields: [...inner.replaceAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g, asInput).matchAll(/<(?:input|button)\b([^>]*)>/g)]
      .map(([, text = '']) => ({
        name: attribute(text, 'name') ?? '',
        value: attribute(text, 'value') ?? (attribute(text, 'type') === 'checkbox' ? 'on' : ''),
        type: attribute(text, 'type') ?? 'text',
        checked: /\schecked(?=[\s=>/]|$)/.test(text),
        disabled: /\sdisabled(?=[\s=>/]|$)/.test(text),
      }))
      .filter((field) => field.name !== ''),
  }
}

/** A list sends the value of its selected option, or of the first one. */
function asInput(_list: string, attributes: string, inner: string): string {
  const options = [...inner.matchAll(/<option\b([^>]*)>/g)].map(([, text = '']) => text)
  const selected = options.find((text) => /\sselected(?=[\s=>/]|$)/.test(text)) ?? options[0] ?? ''
  return `<input${attributes} value="${/\svalue="([^"]*)"/.exec(selected)?.[1] ?? ''}">`
}

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}\\s*=\\s*"([^"]*)"`).exec(` ${text}`)?.[1]
  return value?.replaceAll('&amp;', '&').replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>')
}
