import type { Context } from 'koa'
import { readOwnCookie, setOwnCookie } from '../../base/http/ownCookie.ts'
import type { Keyring } from '../../base/keyring.ts'
import type { StepProgress } from '../steps/stepProgress.ts'

const cookie = 'sg_sign_in'
const lifeSeconds = 600
/** Browsers accept cookies of 4096 bytes, name and attributes included (RFC 6265 section 6.1). */
const maxLength = 3800

interface Content {
  schoolId: string
  /** Seconds since 1970. */
  expires: number
  progress: StepProgress
}

const secondsOf = (keyring: Keyring): number => Math.floor(keyring.now() / 1000)

/** Returns the progress of this browser's sign-in; undefined if the cookie is missing, expired, forged or of another school. */
export function readSignInProgress(ctx: Context, keyring: Keyring): StepProgress | undefined {
  const { school } = ctx.state
  const value = readOwnCookie(ctx, cookie)
  const opened = value && keyring.tryOpen('sign-in steps', value)
  if (!opened) return undefined
  const { schoolId, expires, progress }: Content = JSON.parse(opened)
  return schoolId === school.id && expires > secondsOf(keyring) ? progress : undefined
}

/** Stores the progress for ten minutes, encrypted: steps may keep secrets in their state. */
export function setSignInProgress(ctx: Context, keyring: Keyring, progress: StepProgress): void {
  const { school } = ctx.state
  const content: Content = { schoolId: school.id, expires: secondsOf(keyring) + lifeSeconds, progress }
  const value = keyring.seal('sign-in steps', JSON.stringify(content))
  if (value.length > maxLength) throw new Error(`the state of the sign-in steps is too large for a cookie: ${value.length} characters`)
  setOwnCookie(ctx, cookie, { value, lifeSeconds })
}

export function removeSignInProgress(ctx: Context): void {
  if (readOwnCookie(ctx, cookie)) setOwnCookie(ctx, cookie, { value: '', lifeSeconds: 0 })
}
