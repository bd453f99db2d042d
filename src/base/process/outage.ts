import { errorCode } from '../log/errorCode.ts'

/** Codes of a lost connection: socket errors of Node, and SQLSTATE class 08, 57P and 25006 (PostgreSQL, appendix A). */
const lostCodes = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1-5]|25006)$/
/** The database client sets no code when a connection ends during a statement, or when no connection is available in time. */
const lostWords =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout exceeded when trying to connect|Query read timeout)/
/**
 * The server responds but cannot do the work now: a full disk, no memory, too many connections (class 53), an input/output error (class 58),
 * a lock or a statement that took too long (55P03, 57014), a deadlock (40P01, 40001). The disk for files is full or read-only (ENOSPC, EDQUOT,
 * EROFS of Node). ESTORE is our own.
 */
const busyCodes = /^(53...|580(00|30)|55P03|57014|40P01|40001|ENOSPC|EDQUOT|EROFS|ESTORE)$/

const someCause =
  (is: (error: Error, code: string | undefined) => boolean) =>
  (error: unknown): boolean => {
    if (!(error instanceof Error)) return false
    if (is(error, errorCode(error))) return true
    return error instanceof AggregateError ? error.errors.some(someCause(is)) : someCause(is)(error.cause)
  }

const matches = (codes: RegExp, words?: RegExp) =>
  someCause(({ message }, code) => (code !== undefined ? codes.test(code) : words?.test(message) === true))

/**
 * True when the store lost the connection or refuses writes on it. A connection that was opened while the server was read-only stays
 * read-only, so it must be replaced as well.
 */
export const isLostConnection = matches(lostCodes, lostWords)

const isBusy = matches(busyCodes)

/** True when a full disk kept PostgreSQL from setting up a new session. It reports that as an internal error (SQLSTATE XX000). */
const isUnstartedSession = someCause(({ message }, code) => code === 'XX000' && message === 'could not write init file')

/** True when a store cannot do the work now, and the same request may succeed later: 503 with `Retry-After`. */
export const isOutage = (error: unknown): boolean =>
  isLostConnection(error) || isBusy(error) || isOutdatedPlan(error) || isUnstartedSession(error)

/** True when a migration changed what a named statement returns after the connection had planned it (SQLSTATE 0A000). */
export const isOutdatedPlan = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === '0A000' &&
  'message' in error &&
  String(error.message).includes('cached plan must not change')

/** Creates the error for an outage that this process detected itself. */
export const outage = (message: string): Error => Object.defineProperty(new Error(message), 'code', { value: 'ESTORE' })
