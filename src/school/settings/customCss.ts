import {
  type CSSToken,
  isTokenAtKeyword,
  isTokenFunction,
  isTokenIdent,
  isTokenString,
  isTokenURL,
  TokenType,
  tokenize,
} from '@csstools/css-tokenizer'

// Rules that style the page. Other rules load foreign styles (import, namespace) or change how the file is decoded (charset).
const allowedRules: ReadonlySet<string> = new Set([
  'container',
  'counter-style',
  'font-face',
  'font-feature-values',
  'keyframes',
  '-webkit-keyframes',
  'layer',
  'media',
  'page',
  'property',
  'scope',
  'starting-style',
  'supports',
])

// Functions that load a URL from a plain string, or that run code in old browsers.
const refusedFunctions: ReadonlySet<string> = new Set([
  'expression',
  'image',
  'image-set',
  '-webkit-image-set',
  'src',
  'url-prefix',
  'domain',
  'regexp',
])
const refusedProperties: ReadonlySet<string> = new Set(['behavior', '-ms-behavior', '-moz-binding'])
const unreadable: ReadonlySet<string> = new Set([TokenType.BadString, TokenType.BadURL, TokenType.CDC, TokenType.CDO])
const maxErrors = 10
/** Compatibility forms of one character can be eighteen characters long. */
const maxNarrowLength = 131_072

/**
 * Returns the errors in a school's own stylesheet: foreign URLs, imports and code. Checks the tokens as a browser reads them, so escapes
 * hide nothing, and again without comments and with compatibility forms normalised, as old browsers read them. An empty list means
 * that the stylesheet can be served.
 */
export function cssErrors(css: string, issuer: string): string[] {
  if (/<\/style|<!--|-->/i.test(css)) return ['must not contain </style or HTML comment delimiters']
  const tokens = tokenize({ css }).filter(([type]) => type !== TokenType.Comment)
  const narrow = tokens
    .map(([, text]) => text)
    .join('')
    .normalize('NFKC')
  if (narrow.length > maxNarrowLength) return [`must have at most ${maxNarrowLength} characters after NFKC normalisation. Remove ligatures`]
  const squeezed = tokenize({ css: narrow })
  return [...new Set([...tokenErrors(tokens, issuer), ...tokenErrors(squeezed, issuer)])].slice(0, maxErrors)
}

function tokenErrors(tokens: readonly CSSToken[], issuer: string): string[] {
  const words = tokens.filter(([type]) => type !== TokenType.Whitespace)
  const errors = new Set<string>()
  for (const [index, token] of words.entries()) {
    const error = tokenError(token, words[index + 1], issuer)
    if (error !== undefined) errors.add(error)
    if (errors.size === maxErrors) break
  }
  return [...errors]
}

function tokenError(token: CSSToken, next: CSSToken | undefined, issuer: string): string | undefined {
  if (unreadable.has(token[0])) return `is not valid CSS near ${shown(token)}`
  if (isTokenAtKeyword(token)) return allowedRules.has(nameOf(token)) ? undefined : `must not use the rule @${nameOf(token)}`
  if (isTokenURL(token)) return urlError(token[4].value, issuer)
  if (isTokenFunction(token)) {
    const name = nameOf(token)
    if (refusedFunctions.has(name)) return `must not use the function ${name}()`
    if (name !== 'url') return undefined
    return next && isTokenString(next) ? urlError(next[4].value, issuer) : 'must use url() only with a file of the school'
  }
  if (isTokenString(token) && /<\/style|<!--/i.test(token[4].value)) return 'must not contain </style in a string'
  if (isTokenIdent(token) && refusedProperties.has(nameOf(token))) return `must not use the property ${nameOf(token)}`
  return undefined
}

/** Returns an error unless the URL is a file of the school, below /files/, with or without the school's origin. */
function urlError(address: string, issuer: string): string | undefined {
  const origin = new URL(issuer).origin
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address
  const isOwn = /^\/files\/[\w./-]+$/.test(path) && new URL(path, origin).pathname.startsWith('/files/')
  return isOwn ? undefined : `must not load url(${address.slice(0, 60)}): upload the file to the school and use its URL /files/...`
}

/** Returns the decoded name: `@\69mport` is `import`. */
const nameOf = (token: CSSToken & { 4: { value: string } }): string => token[4].value.normalize('NFKC').toLowerCase()

const shown = (token: CSSToken): string => token[1].slice(0, 30)
