import { isIP, isIPv6 } from 'node:net'
import { z } from 'zod'
import { isWebUrl, maxUrlLength } from '../base/net/webUrl.ts'

/** Returns true for a loopback address or name (RFC 6761 section 6.3), the only hosts that may be used without TLS (RFC 8252 section 8.3). */
export function isLoopback(address: string): boolean {
  const hostname = URL.parse(address)?.hostname ?? ''
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

const hasSafeScheme = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.href))

/** Returns true for an origin in its serialized form, because issuers are compared as strings (RFC 9207 section 2.4). */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.origin === text && hasSafeScheme(url) && !url.hostname.endsWith('.')
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^[\x21-\x7e]+$/.test(text) && hasSafeScheme(url) && isWebUrl(text)
}

function isAbsoluteUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(text) && !text.includes('#') && URL.canParse(text)
}

function isNetwork(text: string): boolean {
  if (text === 'loopback') return true
  const [address = '', prefix, ...rest] = text.split('/')
  if (isIP(address) === 0 || rest.length > 0 || address.includes('%')) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (isIPv6(address) ? 128 : 32)
}

export const origin = z.string().max(255).refine(isOrigin).meta({
  title: 'https://HOST in lower case, without a path or a trailing slash (http:// is for loopback hosts only)',
})

export const webAddress = z
  .string()
  .max(maxUrlLength)
  .refine(isWebAddress)
  .meta({ title: 'an https:// address (http:// is for loopback hosts only)' })

export const absoluteUri = z
  .string()
  .max(2048)
  .refine(isAbsoluteUri)
  .meta({ title: 'an absolute URI without a fragment (RFC 8707 section 2)' })

/** Schema of the addresses of proxies. A prefix of zero bits is rejected, because it would trust every address. */
export const network = z.string().max(64).refine(isNetwork).meta({ title: 'an IP address, a network such as 10.0.0.0/8, or loopback' })
