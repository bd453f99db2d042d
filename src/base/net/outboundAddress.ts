import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are not the public internet (RFC 6890 and the IANA special-purpose registry), and services of cloud hosts. */
const specialIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Global unicast IPv6. Everything else is forbidden: loopback, link-local, unique local and multicast addresses, IPv4-mapped addresses, and
 * NAT64 (64:ff9b::/96), which leads to an IPv4 address.
 */
const globalIpv6 = ['2000::', 3] as const

/** Networks in the global unicast range that contain an IPv4 address or are not the public internet: Teredo, ORCHID, 6to4, documentation. */
const specialIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const blocked = listOf(specialIpv4, 'ipv4')
const blockedGlobal = listOf(specialIpv6, 'ipv6')
const global = listOf([globalIpv6], 'ipv6')

/**
 * Returns why the service must not connect to an address that somebody else chose, or undefined if it may. Only addresses of the public
 * internet are allowed. Use it for every outgoing connection whose target is not in the configuration, and connect to the address that was
 * checked: a name can resolve to another address a moment later.
 */
export function forbiddenAddressReason(address: string): string | undefined {
  // An address with a zone, such as fe80::1%eth0, is local to a link.
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 4) return blocked.check(address, 'ipv4') ? 'is not an address of the public internet' : undefined
  if (version !== 6) return 'is not an IP address'
  const isPublic = global.check(address, 'ipv6') && !blockedGlobal.check(address, 'ipv6')
  return isPublic ? undefined : 'is not an address of the public internet'
}

function listOf(networks: readonly (readonly [network: string, prefix: number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}
