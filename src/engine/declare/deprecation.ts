/** The deprecation of an operation or a field: the day it was deprecated and the day it is removed, as `2026-03-01`, UTC. */
export interface Deprecation {
  since: string
  /** The day of removal, at least half a year after `since`. */
  sunset?: string
  /** The URL of the page that names the replacement. Default: the API reference. */
  link?: string
}

const shortestDays = 180
const dayMs = 86_400_000

/**
 * Returns the metadata of a deprecated field, for its `.meta`.
 * @throws Error for invalid days, or days too close together
 */
export function deprecated({ since, sunset }: Deprecation): { deprecated: true; 'x-deprecated-since': string; 'x-sunset'?: string } {
  const days = sunset === undefined ? shortestDays : (timeOf(sunset) - timeOf(since)) / dayMs
  if (!(timeOf(since) > 0) || !(days >= shortestDays)) {
    throw new Error(
      `deprecated since ${since}, sunset ${sunset}: both must be days such as 2026-03-01, and sunset at least ${shortestDays} days after since`,
    )
  }
  return { deprecated: true, 'x-deprecated-since': since, ...(sunset !== undefined && { 'x-sunset': sunset }) }
}

/** Returns the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to the page that explains them. */
export function deprecationHeaders({ since, sunset, link }: Deprecation, reference: string): Record<string, string> {
  return {
    Deprecation: `@${timeOf(since) / 1000}`,
    ...(sunset !== undefined && { Sunset: new Date(timeOf(sunset)).toUTCString() }),
    Link: `<${link ?? reference}>; rel="deprecation"; type="text/html"`,
  }
}

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
