/** Something that goes away: since when nobody should begin to use it, and when it ends. Days as `2026-03-01`, UTC. */
export interface Deprecation {
  since: string
  /** At least half a year later. */
  sunset?: string
  /** Where it is said what to do instead. Without it: the reference. */
  link?: string
}

const shortestDays = 180
const dayMs = 86_400_000

/**
 * What documents say of it; for the `.meta` of a field.
 * @throws Error for days that are none, or too near each other
 */
export function deprecated({ since, sunset }: Deprecation): { deprecated: true; 'x-deprecated-since': string; 'x-sunset'?: string } {
  const days = sunset === undefined ? shortestDays : (timeOf(sunset) - timeOf(since)) / dayMs
  if (!(timeOf(since) > 0) || !(days >= shortestDays)) {
    throw new Error(
      `deprecated since ${since}, sunset ${sunset}: days such as 2026-03-01, the second at least ${shortestDays} after the first`,
    )
  }
  return { deprecated: true, 'x-deprecated-since': since, ...(sunset !== undefined && { 'x-sunset': sunset }) }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the link that explains them. */
export function deprecationHeaders({ since, sunset, link }: Deprecation, reference: string): Record<string, string> {
  return {
    Deprecation: `@${timeOf(since) / 1000}`,
    ...(sunset !== undefined && { Sunset: new Date(timeOf(sunset)).toUTCString() }),
    Link: `<${link ?? reference}>; rel="deprecation"; type="text/html"`,
  }
}

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
