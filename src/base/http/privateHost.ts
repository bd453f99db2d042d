import { isIP } from 'node:net'

/** Names that no public DNS zone can contain (RFC 6761, RFC 6762, RFC 8375; `internal` is reserved by ICANN), and those of Kubernetes. */
const privateSuffixes = ['.localhost', '.local', '.internal', '.home.arpa', '.svc']

/**
 * Returns true if a host cannot be that of a page on the internet: an address, a name that nobody can register, or one of the given names. A
 * page can let its own name lead to a private address, and its requests name that host (DNS rebinding).
 */
export function isPrivateHost(host: string, names: readonly string[]): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return !name.includes('.') || privateSuffixes.some((suffix) => name.endsWith(suffix)) || names.includes(name)
}
