/** Returns the network of an address: its /24 for IPv4, its /64 for IPv6. An attacker can use all addresses of a network. */
export function networkKey(address: string): string {
  // The audit trail keeps the network of an address only, after some time.
  if (address.includes('/')) return address
  const key = addressKey(address)
  return key.includes(':') ? key : `${key.split('.').slice(0, 3).join('.')}.0/24`
}

/** Returns the site of an address: its /24 for IPv4, its /48 for IPv6, which is the most that one customer usually gets. */
export function siteKey(address: string): string {
  const key = networkKey(address)
  return key.includes(':') ? `${key.split(':').slice(0, 3).join(':')}::/48` : key
}

/** Returns the key under which an address is counted: the address itself for IPv4, its /64, which one customer controls, for IPv6. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`
}
