/** A school: the tenant, and its one origin. */
export interface School {
  id: string
  slug: string
  /** Byte-exact, from configuration, without a trailing slash. */
  issuer: string
}

/** The schools of this deployment, by host name and by id. */
export interface SchoolDirectory<Entry extends { school: School }> {
  all: readonly Entry[]
  /** Returns the school of a `Host` header. If there is only one school, every host leads to it. */
  byHost(host: string): School | undefined
  byId(id: string): Entry
}

export function schoolDirectory<Entry extends { school: School }>(entries: readonly Entry[]): SchoolDirectory<Entry> {
  const hosts = new Map(entries.map((entry) => [new URL(entry.school.issuer).host, entry.school]))
  const ids = new Map(entries.map((entry) => [entry.school.id, entry]))
  const only = entries.length === 1 ? entries[0]?.school : undefined
  return {
    all: entries,
    byHost: (host) => only ?? hosts.get(withoutDefaultPort(host)),
    byId(id) {
      const entry = ids.get(id)
      if (!entry) throw new Error(`no school with id ${id}`)
      return entry
    },
  }
}

// Some proxies send the default port of https. `URL` never does.
const withoutDefaultPort = (host: string): string => host.replace(/:(443|80)$/, '')
