/** Sessions of the account that began until this time are ended, in every store. */
type ValidAfter = Date | null

const wholeSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** Returns true if a session has been ended by its account. `signedInAt` is its `auth_time`, in whole seconds since 1970. */
export function isSessionOver(signedInAt: number | undefined, validAfter: ValidAfter): boolean {
  return validAfter !== null && (signedInAt ?? 0) <= wholeSeconds(validAfter)
}

/**
 * Returns the `auth_time` of a new session. `now` and `validAfter` must be read together with the checked password: then a sign-in that
 * runs while the account ends its sessions creates an ended one, and a later one does not.
 */
export function sessionTime(now: Date, validAfter: ValidAfter): number {
  return Math.max(wholeSeconds(now), validAfter === null ? 0 : wholeSeconds(validAfter) + 1)
}
