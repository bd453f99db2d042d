/** The secrets of a request that is broken. */
export interface BrokenSecrets {
  token: string
  cookie: string
}

const framings: Readonly<Record<string, (secret: string) => { headers: string[]; body: string }>> = {
  'a chunk size that is not a number': (secret) => ({ headers: ['Transfer-Encoding: chunked'], body: `ZZ\r\n${secret}\r\n0\r\n\r\n` }),
  'a chunk size that is too large': (secret) => ({ headers: ['Transfer-Encoding: chunked'], body: `${'F'.repeat(20)}\r\n${secret}\r\n` }),
  'a second chunk that is broken': (secret) => ({
    headers: ['Transfer-Encoding: chunked'],
    body: `${secret.length.toString(16)}\r\n${secret}\r\n${secret}\r\n`,
  }),
  'extensions of a chunk that are too long': (secret) => ({
    headers: ['Transfer-Encoding: chunked'],
    body: `5;${secret}=${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  }),
  'a chunk that ends too early': (secret) => ({ headers: ['Transfer-Encoding: chunked'], body: `fff\r\n${secret}` }),
  'a chunk without its end': (secret) => ({ headers: ['Transfer-Encoding: chunked'], body: `1\r\n${secret}\r\n0\r\n\r\n` }),
  'two lengths': (secret) => ({ headers: ['Transfer-Encoding: chunked', 'Content-Length: 5'], body: secret }),
  'an unknown transfer encoding': (secret) => ({ headers: ['Transfer-Encoding: gzip, xchunked'], body: secret }),
  'a length that is not a number': (secret) => ({ headers: ['Content-Length: 5x'], body: secret }),
  'a length that is too large': (secret) => ({ headers: [`Content-Length: ${'9'.repeat(30)}`], body: secret }),
  'a body that is shorter than its length': (secret) => ({ headers: ['Content-Length: 5000'], body: secret }),
  'a header without a colon': (secret) => ({ headers: [secret.replaceAll(':', '')], body: '' }),
  'a header with NUL': (secret) => ({ headers: [`X-Note: ${secret}\0`], body: '' }),
  'a folded header': (secret) => ({ headers: [`X-Note: a\r\n ${secret}`], body: '' }),
  'headers that are too long': (secret) => ({ headers: [`X-Note: ${secret}${'x'.repeat(20_000)}`], body: '' }),
  'another request that is not HTTP': (secret) => ({ headers: ['Content-Length: 2'], body: `{}${secret}\r\n\r\n` }),
}

/** Content types of each kind of operation. */
const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'text/plain',
]

/** Returns requests to a path whose framing no server accepts, with secrets in their headers, chunks and bodies. */
export function brokenRequests(
  address: string,
  { method, path }: { method: string; path: string },
  { token, cookie }: BrokenSecrets,
): { name: string; bytes: Buffer }[] {
  return Object.entries(framings).map(([name, framing], index) => {
    const type = path === '/mcp' || path.startsWith('/platform/') ? 'application/json' : types[index % types.length]
    const { headers, body } = framing(`Authorization: Bearer ${token}`)
    const lines = [
      ...[`${method} ${path} HTTP/1.1`, `Host: ${new URL(address).host}`, `Authorization: Bearer ${token}`, `Cookie: ${cookie}`],
      ...[`Content-Type: ${type}`, 'Accept: application/json, text/event-stream', 'Connection: close', ...headers],
    ]
    return { name: `${method} ${path} with ${name}`, bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1') }
  })
}

/** A path of each part that reads bodies on the public port. */
export const publicTargets = [
  { method: 'POST', path: '/api/v1/courses' },
  { method: 'PATCH', path: '/api/v1/account' },
  { method: 'POST', path: '/mcp' },
  { method: 'POST', path: '/api/oauth/token' },
  { method: 'POST', path: '/api/oauth/register' },
  { method: 'POST', path: '/api/oauth/introspect' },
  { method: 'POST', path: '/oauth/authorize' },
  { method: 'POST', path: '/oauth/interaction/x/sign-in' },
  { method: 'POST', path: '/account/sign-in' },
  { method: 'POST', path: '/account/profile' },
  { method: 'PUT', path: '/uploads/x' },
  { method: 'GET', path: '/courses' },
  { method: 'POST', path: '/robots.txt' },
] as const

/** A path of each part of the private port. */
export const privateTargets = [
  { method: 'POST', path: '/platform/v1/orders' },
  { method: 'POST', path: '/operator/v1/commands' },
  { method: 'GET', path: '/metrics' },
] as const
