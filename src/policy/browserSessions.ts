/** What an account says of its sessions: those that began until then are over, wherever one is kept. */
type ValidAfter = Date | null

const wholeSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** Whether a session has been ended by its account. `signedInAt` is its `auth_time`, in whole seconds since 1970. */
export function isSessionOver(signedInAt: number | undefined, validAfter: ValidAfter): boolean {
  return validAfter !== null && (signedInAt ?? 0) <= wholeSeconds(validAfter)
}

/**
 * The time that a session made now is given. `now` and `validAfter` must be read together with the password that was checked:
 * then a sign-in that was under way while the account ended its sessions makes one that is over already, and a later one never does.
 */
export function sessionTime(now: Date, validAfter: ValidAfter): number {
  return Math.max(wholeSeconds(now), validAfter === null ? 0 : wholeSeconds(validAfter) + 1)
}
