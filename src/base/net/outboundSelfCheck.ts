import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createOutbound, OutboundError, type OutboundNetwork } from './outboundRequest.ts'

/** Addresses that must never be reached: one of each kind. */
const forbidden: readonly string[] = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1', '198.18.0.1', '224.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::'],
  ...['2001:0:7f00:1::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '2001:db8::1'],
]

/** Addresses that must be reachable: a guard that rejects everything is broken as well. */
const allowed: readonly string[] = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']

/**
 * Checks that requests to hosts that others choose reach no address of the service's own networks: it sends them to a listener of this
 * process and counts the connections. No packet leaves the machine. @throws Error that names the address if the guard lets one through
 */
export async function requireOutboundGuard(network: Partial<OutboundNetwork> = {}): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const reach = async (addresses: readonly string[], host = 'guard.invalid'): Promise<'forbidden' | 'connected'> => {
    const before = connections
    const send = createOutbound({ ...network, resolve: async () => addresses, target: () => ({ host: '127.0.0.1', port }) })
    const url = new URL(`https://${host}/`)
    const error = await send({ url, method: 'GET', headers: {}, maxBytes: 1, timeoutMs: 5000 }).catch((reason: unknown) => reason)
    const isForbidden = error instanceof OutboundError && error.failure === 'forbidden' && connections === before
    return isForbidden ? 'forbidden' : 'connected'
  }
  try {
    for (const address of forbidden) {
      const literal = address.includes(':') ? `[${address}]` : address
      // A public address in front must not hide a private one.
      for (const seen of [await reach([address]), await reach([...allowed, address]), await reach([], literal)])
        if (seen !== 'forbidden') throw new Error(`the guard of outgoing requests let ${address} through, so they stay turned off`)
    }
    for (const address of allowed)
      if ((await reach([address])) !== 'connected') throw new Error(`the guard of outgoing requests rejected the public address ${address}`)
  } finally {
    server.close()
  }
}
