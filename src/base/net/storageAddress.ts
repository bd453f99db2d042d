import { plainAscii } from '../problem.ts'
import { nearest } from '../text/nearest.ts'

export interface BucketAddress {
  bucket: string
  /** The endpoint of a service other than Amazon's. */
  endpoint: string | undefined
  region: string | undefined
}

const parameters = ['endpoint', 'region']

/** `s3://bucket?endpoint=https://…&region=…`, or undefined for other texts. It never contains credentials. */
export function parseStorageAddress(text: string): BucketAddress | undefined {
  const url = URL.parse(text)
  if (!url || storageAddressError(text) !== undefined) return undefined
  return {
    bucket: url.hostname,
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    region: url.searchParams.get('region') ?? undefined,
  }
}

/** Returns the rule that the address of a bucket breaks; undefined if it is valid. Quotes names of parameters only. */
export function storageAddressError(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.username || url?.password)
    return 'must not contain credentials: they come from the standard AWS sources, such as AWS_ACCESS_KEY_ID'
  const isBucket = url?.protocol === 's3:' && !url.hash && !url.port && /^\/?$/.test(url.pathname)
  if (!isBucket || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    return 'must be an s3:// address such as s3://schoolgate-files?endpoint=https://s3.example.com'
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined) {
    const near = nearest(unknown, parameters)
    const fix = near === undefined ? `: use ${parameters.join(' and ')} only` : `; did you mean ${near}?`
    return `has the parameter ${plainAscii(unknown.slice(0, 60))}, which is not known${fix}`
  }
  const endpoint = url.searchParams.get('endpoint')
  const isServer = endpoint === null || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')
  return isServer ? undefined : 'must have an http:// or https:// address as its endpoint'
}
