/** Adds query parameters to a path, without those that have no value. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`
}
