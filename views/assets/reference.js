/* Filters the list of operations, keeps the page between areas, copies examples, and sends requests. All pages are complete without it. */

const { client, issuer, callback } = document.body.dataset
const answers = new BroadcastChannel('api-reference')
const callbackPath = '/docs/callback'

if (callback !== undefined) {
  // The window that waits has the state of this answer; all others ignore it.
  answers.postMessage(location.search)
  history.replaceState(null, '', callbackPath)
  window.close()
} else {
  document.addEventListener('click', follow)
  document.addEventListener('submit', submit)
  document.addEventListener('input', filter)
  window.addEventListener('popstate', () => showPage(location.href))
  window.addEventListener('pagehide', endSession)
  document.querySelector('#session button')?.addEventListener('click', endSession)
  for (const area of document.querySelectorAll('main')) prepare(area)
}

/* The access token stays in this variable: it ends with the page. */
let session

function prepare(main) {
  for (const part of main.querySelectorAll('.try')) part.hidden = false
  for (const text of main.querySelectorAll('pre')) text.after(copyButton(text))
}

function copyButton(text) {
  const [line, button] = [document.createElement('p'), document.createElement('button')]
  line.className = 'copy'
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(text)
    // Browsers offer the clipboard only over HTTPS and on this computer. The older command works everywhere.
    if (navigator.clipboard) await navigator.clipboard.writeText(text.innerText)
    else document.execCommand('copy')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 3000)
  })
  line.append(button)
  return line
}

/* Pages of the reference replace the content of this one, so that the sign-in stays. */
function follow(event) {
  const link = event.target.closest?.('a')
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const url = new URL(link.href, location.href)
  const isPage = url.origin === location.origin && /^\/docs(\/[a-z_]+)?$/.test(url.pathname) && url.pathname !== '/docs/apps'
  if (!isPage || (url.pathname === location.pathname && url.hash !== '')) return
  event.preventDefault()
  history.pushState(null, '', url)
  showPage(url)
}

async function showPage(url) {
  const { pathname, search, hash } = new URL(url)
  const response = await fetch(pathname + search).catch(() => undefined)
  if (!response?.ok) return location.assign(url)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const main = page.querySelector('main')
  prepare(main)
  document.querySelector('main').replaceWith(main)
  document.title = page.title
  for (const link of document.querySelectorAll('header .documents a')) {
    if (link.pathname === pathname) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  const target = (hash && document.getElementById(decodeURIComponent(hash.slice(1)))) || main
  target.scrollIntoView()
  target.focus({ preventScroll: true })
}

function filter(event) {
  if (event.target.id !== 'q' || location.pathname !== '/docs') return
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const area of document.querySelectorAll('.area')) {
    let shown = 0
    for (const entry of area.querySelectorAll('li')) {
      entry.hidden = !words.every((word) => entry.dataset.text.includes(word))
      if (!entry.hidden) shown += 1
    }
    area.hidden = shown === 0
    document.querySelector(`.contents a[href="#${area.getAttribute('aria-labelledby')}"]`).parentElement.hidden = area.hidden
    found += shown
  }
  document.getElementById('found').textContent = words.length === 0 ? '' : `${found} ${found === 1 ? 'operation' : 'operations'} found`
}

function submit(event) {
  const form = event.target
  event.preventDefault()
  if (form.matches('.search')) {
    const url = new URL(form.action)
    const query = form.elements.q.value.trim()
    if (query === '') url.pathname = '/docs'
    else url.searchParams.set('q', query)
    history.pushState(null, '', url)
    showPage(url)
  } else send(form)
}

const missing = (form) => {
  const scopes = form.dataset.scopes.split(' ').filter(Boolean)
  return scopes.some((scope) => session?.scopes.includes(scope)) ? undefined : scopes[0]
}

async function send(form) {
  const [state, result, button] = [form.querySelector('.state'), form.querySelector('.result'), form.querySelector('button[type="submit"]')]
  result.hidden = true
  const scope = missing(form)
  button.disabled = true
  try {
    if (scope !== undefined && !('public' in form.dataset)) {
      state.textContent = `Sign in, and allow ${scope}, in the window that opened.`
      await signIn([...new Set([...(session?.scopes ?? []), scope])])
      state.textContent = missing(form) === undefined ? 'You are signed in. Send the request now.' : `You did not allow ${scope}.`
      return
    }
    state.textContent = 'Sending'
    const { url, init } = requestOf(form)
    const response = await fetch(url, init)
    if (response.status === 401) setSession(undefined)
    state.textContent = `${response.status} ${response.statusText}`
    result.textContent = await shown(response)
    result.hidden = false
  } catch (error) {
    state.textContent = error.message
  } finally {
    button.disabled = false
    button.focus()
  }
}

function requestOf(form) {
  const { method, path, type } = form.dataset
  const [headers, query] = [new Headers({ accept: 'application/json' }), new URLSearchParams()]
  let address = path
  for (const input of form.querySelectorAll('[data-in]')) {
    if (input.dataset.in === 'path') address = address.replace(`{${input.name}}`, encodeURIComponent(input.value))
    else if (input.value === '') continue
    else if (input.dataset.in === 'query') query.set(input.name, input.value)
    else headers.set(input.name, input.value)
  }
  if (session) headers.set('authorization', `Bearer ${session.token}`)
  const text = form.querySelector('textarea')?.value.trim()
  if (type && text) {
    JSON.parse(text)
    headers.set('content-type', type)
  }
  const body = type && text ? text : undefined
  return { url: query.size > 0 ? `${address}?${query}` : address, init: { method, headers, body, credentials: 'omit', redirect: 'error' } }
}

const longest = 100_000

async function shown(response) {
  const names = ['etag', 'location', 'link', 'ratelimit', 'retry-after', 'www-authenticate', 'request-id']
  const headers = names.flatMap((name) => (response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : []))
  const text = await response.text()
  let body = text
  try {
    body = JSON.stringify(JSON.parse(text), null, 2)
  } catch {}
  return [...headers, '', body.length > longest ? `${body.slice(0, longest)}\n…` : body].join('\n')
}

const encode = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const random = () => encode(crypto.getRandomValues(new Uint8Array(32)))

/* The authorization code flow with PKCE (RFC 7636), in a separate window. */
async function signIn(scopes) {
  const [verifier, state, redirect] = [random(), random(), issuer + callbackPath]
  // Opened at once: browsers block windows that open after a pause.
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=760')
  if (!opened) throw new Error('The browser blocked the window of the sign-in. Allow this site to open windows, and send again.')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const answer = nextAnswer(state, opened)
  opened.location.replace(
    `/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: redirect,
      scope: scopes.join(' '),
      resource: issuer,
      state,
      code_challenge: encode(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    })}`,
  )
  const given = await answer
  if (given.get('iss') !== issuer) throw new Error('The answer came from another issuer and was not used.')
  if (given.has('error')) {
    const isDenied = given.get('error') === 'access_denied'
    throw new Error(isDenied ? 'You allowed nothing, so nothing was sent.' : `The sign-in failed: ${given.get('error_description')}`)
  }
  const response = await fetch('/api/oauth/token', {
    method: 'POST',
    credentials: 'omit',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: given.get('code'),
      redirect_uri: redirect,
      client_id: client,
      code_verifier: verifier,
      resource: issuer,
    }),
  })
  const tokens = await response.json()
  if (!response.ok) throw new Error(`The sign-in failed: ${tokens.error_description}`)
  revoke()
  setSession({ token: tokens.access_token, scopes: tokens.scope.split(' ') })
}

/* Resolves with the redirect of this request. Ends when the person closes the window without an answer. */
function nextAnswer(state, opened) {
  return new Promise((resolve, reject) => {
    const watch = setInterval(() => {
      if (!opened.closed) return
      // The answer may be on its way.
      setTimeout(() => finish(() => reject(new Error('The window of the sign-in was closed. Send again to repeat it.'))), 500)
    }, 500)
    const take = ({ data }) => {
      const given = new URLSearchParams(data)
      if (given.get('state') === state) finish(() => resolve(given))
    }
    const finish = (settle) => {
      clearInterval(watch)
      answers.removeEventListener('message', take)
      settle()
    }
    answers.addEventListener('message', take)
  })
}

function setSession(given) {
  session = given
  const part = document.getElementById('session')
  if (!part) return
  part.hidden = false
  part.querySelector('p').textContent = given
    ? `Signed in, with ${given.scopes.join(', ')}. Requests are sent with a token that ends with this page.`
    : 'Signed out.'
  part.querySelector('button').hidden = !given
}

/* Revokes the token, and with it the permission that was given for it. */
function revoke() {
  if (session) navigator.sendBeacon('/api/oauth/revoke', new URLSearchParams({ token: session.token, client_id: client }))
}

function endSession() {
  if (!session) return
  revoke()
  setSession(undefined)
}
