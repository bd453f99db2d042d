import type { IssuedSecret } from '../../test/security/secretSpellings.ts'

/** A response as a caller receives it. */
export interface SentResponse {
  setCookie: readonly string[]
  location: string | undefined
  contentType: string
  body: string
}

const members = ['access_token', 'refresh_token', 'id_token', 'client_secret'] as const
const cookies = /^(?:__\w+-)?(sg_(?:session|interaction|resume|browser|known|confirmed|sign_in))=([^;]{16,})/

const secret = (kind: string, value: string): IssuedSecret => ({ kind, value, hasEnded: false })

/** Returns the secrets that a response issues: cookies, codes, tokens, signed addresses, form tokens, and what set-up pages show. */
export function issuedInResponse({ setCookie, location, contentType, body }: SentResponse): IssuedSecret[] {
  const found = setCookie.flatMap((line) => {
    const [, name, value] = cookies.exec(line) ?? []
    return name && value ? [secret(`cookie ${name}`, value)] : []
  })
  const target = location !== undefined && URL.canParse(location, 'http://a') ? new URL(location, 'http://a') : undefined
  for (const name of ['code', 'token', 'signature']) {
    const value = target?.searchParams.get(name)
    if (value && value.length >= 16) found.push(secret(`${name} in a redirect`, value))
  }
  const all = (kind: string, pattern: RegExp): void => {
    for (const [, value = ''] of body.matchAll(pattern)) found.push(secret(kind, value))
  }
  if (contentType.includes('json')) {
    for (const name of members) all(name, new RegExp(`"${name}":"([^"]{16,})"`, 'g'))
    all('signed address', /[?&]signature=([\w-]{20,})/g)
  }
  if (contentType.includes('html')) {
    all('form token', /name="csrf" value="([^"]{20,})"/g)
    all('TOTP secret', /<output>([A-Z2-7 ]{30,})<\/output>/g)
    all('recovery code', /<code>([a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4})<\/code>/g)
    all('calendar address', /\/calendar\/([\w-]{43})\.ics/g)
    all('passkey challenge', /challenge(?:"|&#34;):(?:"|&#34;)([\w-]{20,})/g)
  }
  return found.map((one) => (one.kind === 'TOTP secret' ? { ...one, value: one.value.replaceAll(' ', '') } : one))
}

/** Returns the tokens of the links in an e-mail. */
export const issuedInEmail = (text: string): IssuedSecret[] =>
  [...text.matchAll(/[?&]token=([\w-]{20,})/g)].map(([, value = '']) => secret('mailed link', value))
