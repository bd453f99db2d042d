/** Returns the time zone if the runtime knows it, otherwise UTC. */
export function knownTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone && name
  } catch {
    return 'UTC'
  }
}
