/** Where Redis is and how to log in there, read from one URL. */
export interface RedisAddress {
  mode: 'single' | 'sentinel' | 'cluster'
  tls: boolean
  hosts: { host: string; port: number }[]
  username?: string
  password?: string
  db: number
  /** Sentinel only: the name of the monitored primary. */
  master?: string
  /** Sentinel only: how to log in at the sentinels themselves, where they ask for it. */
  sentinelUsername?: string
  sentinelPassword?: string
}

const forms =
  'redis://user:password@host:6379/0, redis+sentinel://user:password@host1:26379,host2:26379/0?master=NAME ' +
  'or redis+cluster://user:password@host1:6379,host2:6379 (rediss… for TLS)'

const whole = /^redis(s)?(?:\+(sentinel|cluster))?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const oneHost = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::(\d{1,5}))?$/i

/**
 * Reads a Redis URL strictly: an unknown query parameter or a stray character is an error, because a misread address would be tried in
 * silence. No error quotes any part of the URL but parameter names, since a misplaced `@` or `/` can put the password anywhere.
 * @throws Error that says what to write instead.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const parts = whole.exec(url)
  if (!parts) fail(`has none of these forms: ${forms}. In a user name or password write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23`)
  const [, tls, form, user, secret, hosts = '', path, query] = parts
  const mode = form === 'sentinel' || form === 'cluster' ? form : 'single'
  const username = decode('user name', user)
  const password = decode('password', secret)
  const sentinel = parseQuery(mode, query)
  if (username && !password) fail('has a user name without a password: write user:password@, or :password@ for the default user')
  return {
    mode,
    tls: tls !== undefined,
    hosts: parseHosts(mode, hosts),
    db: parseDatabase(mode, path),
    ...(username && { username }),
    ...(password && { password }),
    ...sentinel,
  }
}

function parseHosts(mode: RedisAddress['mode'], text: string): RedisAddress['hosts'] {
  const list = text.split(',')
  if (mode === 'single' && list.length > 1) fail('names several hosts: that takes redis+sentinel:// or redis+cluster://')
  return list.map((entry, index) => {
    const parts = oneHost.exec(entry)
    const host = parts?.[1] ?? parts?.[2]
    const port = Number(parts?.[3] ?? (mode === 'sentinel' ? 26379 : 6379))
    if (!host || port < 1 || port > 65535) fail(`has a host (number ${index + 1}) that is not of the form name:port or [IPv6 address]:port`)
    return { host, port }
  })
}

function parseDatabase(mode: RedisAddress['mode'], path = ''): number {
  if (!/^\d{0,4}$/.test(path)) fail('has a path that is not the number of a database, as in …:6379/0')
  if (mode === 'cluster' && Number(path) > 0) fail('names a database: a Redis Cluster has database 0 only')
  return Number(path)
}

function parseQuery(mode: RedisAddress['mode'], query = ''): Pick<RedisAddress, 'master' | 'sentinelUsername' | 'sentinelPassword'> {
  const known = mode === 'sentinel' ? ['master', 'sentinel_username', 'sentinel_password'] : []
  const parameters = new URLSearchParams(query)
  for (const name of new Set(parameters.keys())) {
    if (!known.includes(name)) fail(`has a query parameter that is not known here. Known: ${known.join(', ') || 'none'}`)
    if (parameters.getAll(name).length > 1 || !parameters.get(name)) fail(`must give the query parameter ${name} once, with a value`)
  }
  if (mode !== 'sentinel') return {}
  const [master, sentinelUsername, sentinelPassword] = known.map((name) => parameters.get(name) ?? undefined)
  if (!master) fail('lacks the name of the primary that the sentinels watch: add ?master=NAME')
  return { master, ...(sentinelUsername && { sentinelUsername }), ...(sentinelPassword && { sentinelPassword }) }
}

function decode(what: string, text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return fail(`has a ${what} with a stray %: write it as %25`)
  }
}

function fail(why: string): never {
  throw new Error(`The Redis URL ${why}.`)
}
