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

// Rules that shape what is on the page. Others bring in foreign styles (import, namespace) or change how the file is read (charset).
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

// Functions that fetch an address written as a plain string, or that once ran code.
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
 * What in a school's own stylesheet reaches beyond the school: foreign addresses, imports, code. Tokens are judged as a browser
 * reads them, so an escape hides nothing; then once more without comments and with wide letters made narrow, as old browsers
 * read them. An empty list means that it can be served.
 */
export function cssErrors(css: string, issuer: string): string[] {
  if (/<\/style|<!--|-->/i.test(css)) return ['must not contain </style or the marks of an HTML comment']
  const tokens = tokenize({ css }).filter(([type]) => type !== TokenType.Comment)
  const narrow = tokens
    .map(([, text]) => text)
    .join('')
    .normalize('NFKC')
  if (narrow.length > maxNarrowLength) return [`must have at most ${maxNarrowLength} characters in the form NFKC: remove ligatures`]
  const squeezed = tokenize({ css: narrow })
  return [...new Set([...faultsOfTokens(tokens, issuer), ...faultsOfTokens(squeezed, issuer)])].slice(0, maxErrors)
}

function faultsOfTokens(tokens: readonly CSSToken[], issuer: string): string[] {
  const words = tokens.filter(([type]) => type !== TokenType.Whitespace)
  const fieldErrors = new Set<string>()
  for (const [index, token] of words.entries()) {
    const fault = faultOf(token, words[index + 1], issuer)
    if (fault !== undefined) fieldErrors.add(fault)
    if (fieldErrors.size === maxErrors) break
  }
  return [...fieldErrors]
}

function faultOf(token: CSSToken, next: CSSToken | undefined, issuer: string): string | undefined {
  if (unreadable.has(token[0])) return `cannot be read near ${shown(token)}`
  if (isTokenAtKeyword(token)) return allowedRules.has(nameOf(token)) ? undefined : `the rule @${nameOf(token)} is not open to a school`
  if (isTokenURL(token)) return faultOfAddress(token[4].value, issuer)
  if (isTokenFunction(token)) {
    const name = nameOf(token)
    if (refusedFunctions.has(name)) return `the function ${name}() is not open to a school`
    if (name !== 'url') return undefined
    return next && isTokenString(next) ? faultOfAddress(next[4].value, issuer) : 'url() must name a file of the school'
  }
  if (isTokenString(token) && /<\/style|<!--/i.test(token[4].value)) return 'a string must not contain </style'
  if (isTokenIdent(token) && refusedProperties.has(nameOf(token))) return `${nameOf(token)} is not open to a school`
  return undefined
}

/** The school's own files stand below /files/, with or without its own origin before it. Whatever a browser could take for another place is foreign. */
function faultOfAddress(address: string, issuer: string): string | undefined {
  const origin = new URL(issuer).origin
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address
  const isOwn = /^\/files\/[\w./-]+$/.test(path) && new URL(path, origin).pathname.startsWith('/files/')
  return isOwn ? undefined : `url(${address.slice(0, 60)}) is no file of the school: upload it, and name it as /files/...`
}

/** The decoded name: `@\69mport` is `import`. */
const nameOf = (token: CSSToken & { 4: { value: string } }): string => token[4].value.normalize('NFKC').toLowerCase()

const shown = (token: CSSToken): string => token[1].slice(0, 30)
