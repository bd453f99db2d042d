import { types } from 'node:util'

/** Names of members that are removed from log lines, at every depth and in every spelling. */
const secret = [
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'token',
  'code',
  'code_verifier',
  'client_secret',
  'password',
  'authorization',
  'cookie',
  'set-cookie',
  'login_hint',
  'state',
  'secret',
]
const secretNames = new Set(secret.map(plain))
const removed = '[removed]'
/** Error codes of libraries, such as `ECONNREFUSED` and `23505`. Authorization codes never match. */
const errorCode = /^[A-Z0-9_]{2,30}$/
/** Credentials in a text: behind the name of a scheme of authentication, and in a URL. */
const credentials = /\b(bearer|basic) +[^\s"',;]+|\/\/[^\s/@]*@/gi
const typeName = /^[\w$]{1,60}$/

/** Bytes of JSON. Those of all members and the message fit into a line of 16 kB with the members that the log adds. */
const limits = { members: 14_000, message: 1500, text: 4000, name: 100, errorMessage: 1500, frames: 3500 } as const
const most = { depth: 8, causes: 4, entries: 100 } as const

/**
 * Returns what a line shows of an object: plain members, without secrets, of limited size. Of an error these are its type, message, stack,
 * code and cause, because libraries attach requests and connections to errors. Objects of other classes are removed. Never throws, and
 * calls no function of the object but its getters.
 */
export function logMembers(members: object): Record<string, unknown> {
  let left: number = limits.members

  const text = (value: string, bytes: number = limits.text): string => {
    const short = limitedText(value, Math.min(bytes, left))
    left -= jsonBytes(short)
    return short
  }

  const show = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number' || typeof value === 'boolean') left -= 24
    if (typeof value === 'bigint') return removed
    // A function in a member toJSON would decide what is written.
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    left -= removed.length
    // A proxy may show anything, and may throw.
    if (types.isProxy(value)) return removed
    if (isError(value)) return showError(value, depth)
    if (types.isDate(value)) return Number.isNaN(Number(value)) ? null : Date.prototype.toISOString.call(value)
    if (depth > most.depth) return '[deeper]'
    if (Array.isArray(value)) return showList(value, depth)
    return isPlain(value) ? showObject(value, depth) : removed
  }

  const showList = (list: readonly unknown[], depth: number): unknown[] => {
    const shown: unknown[] = []
    for (let index = 0; index < list.length && left > 0; index += 1) {
      if (index === most.entries) return [...shown, `[${list.length - index} more]`]
      shown.push(show(memberOf(list, index), depth + 1))
    }
    return shown
  }

  const showObject = (object: object, depth: number): Record<string, unknown> => {
    const shown: [string, unknown][] = []
    for (const name of Object.keys(object)) {
      if (left <= 0 || shown.length === most.entries) {
        shown.push(['more', '[removed]'])
        break
      }
      const short = text(name, limits.name)
      const member = memberOf(object, name)
      if (isSecret(short, member)) shown.push([short, removed])
      else shown.push([short, show(member, depth + 1)])
    }
    // Object.fromEntries treats __proto__ as an ordinary member; an assignment would not.
    return Object.fromEntries(shown)
  }

  const showError = (error: object, depth: number, causes = 0): Record<string, unknown> => {
    const type = typeOf(error)
    const message = text(withoutCredentials(textOf(memberOf(error, 'message')).slice(0, 2 * limits.errorMessage)), limits.errorMessage)
    const [code, cause] = [memberOf(error, 'code'), causeOf(error)]
    return {
      type,
      message,
      stack: text(`${type}: ${message}${framesOf(error)}`, limits.errorMessage + limits.frames),
      ...(isErrorCode(code) && { code }),
      ...(cause !== undefined && causes < most.causes && left > 0 && { cause: showError(cause, depth, causes + 1) }),
    }
  }

  return isError(members) ? { err: showError(members, 0) } : showObject(members, 0)
}

export const logMessage = (message: string): string => limitedText(message, limits.message)

/** Exit codes of processes are logged: no code that is sent to a person or a client is a number this short. */
const isSecret = (name: string, member: unknown): boolean =>
  secretNames.has(plain(name)) && !(plain(name) === 'code' && (member === null || isShortNumber(member)))

const isErrorCode = (code: unknown): boolean => isShortNumber(code) || (typeof code === 'string' && errorCode.test(code))

const isShortNumber = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1000

/** The reason of several failed attempts is that of the first one. */
function causeOf(error: object): object | undefined {
  const errors = memberOf(error, 'errors')
  for (const cause of [memberOf(error, 'cause'), Array.isArray(errors) ? memberOf(errors, 0) : undefined]) {
    if (typeof cause === 'object' && cause !== null && !types.isProxy(cause) && isError(cause)) return cause
  }
  return undefined
}

function isError(value: object): boolean {
  try {
    return types.isNativeError(value) || value instanceof Error
  } catch {
    return false
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Returns a member; undefined if its getter throws. */
function memberOf(value: object, name: string | number): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}

function typeOf(error: object): string {
  const made = memberOf(error, 'constructor')
  const names = [typeof made === 'function' && !types.isProxy(made) ? memberOf(made, 'name') : undefined, memberOf(error, 'name')]
  return names.map(textOf).find((name) => typeName.test(name)) ?? 'Error'
}

/** Returns the lines of a stack trace below the message. */
function framesOf(error: object): string {
  const stack = textOf(memberOf(error, 'stack'))
  const start = stack.indexOf('\n    at ')
  return start === -1 ? '' : withoutCredentials(stack.slice(start, start + limits.frames))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const withoutCredentials = (value: string): string => value.replace(credentials, removed)

const jsonBytes = (value: string): number => Buffer.byteLength(JSON.stringify(value))

/** Returns the beginning of a text that takes at most this many bytes of JSON. */
function limitedText(value: string, bytes: number): string {
  let end = Math.max(0, Math.min(value.length, bytes - 5))
  while (end > 0 && jsonBytes(value.slice(0, end)) + 3 > bytes) end = Math.floor(end / 2)
  return end === value.length ? value : `${value.slice(0, end)}…`
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}
