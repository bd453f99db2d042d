/** A bucket and how to reach it. */
export interface BucketAddress {
  bucket: string
  /** The endpoint of a service other than Amazon's. */
  endpoint: string | undefined
  region: string | undefined
}

const parameters = new Set(['endpoint', 'region'])

/** `s3://bucket?endpoint=https://…&region=…`, or undefined for other texts. It never contains credentials. */
export function parseStorageAddress(text: string): BucketAddress | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.username || url.password || url.hash || !/^\/?$/.test(url.pathname) || url.port) return undefined
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) return undefined
  if ([...url.searchParams.keys()].some((name) => !parameters.has(name))) return undefined
  const endpoint = url.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return undefined
  return { bucket: url.hostname, endpoint, region: url.searchParams.get('region') ?? undefined }
}
