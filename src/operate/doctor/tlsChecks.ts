import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { type Check, type Finding, failed, passed, skipped, warned } from './check.ts'
import { sendRequest } from './sendRequest.ts'

const timeoutMs = 10_000
const warnDays = 21

/** Returns the checks of the connection to an https address. `plainPort` is the port for http of the gateway. */
export function tlsChecks(base: string, plainPort = 80): Check[] {
  return [
    { id: 'certificate', run: () => checkCertificate(new URL(base)) },
    { id: 'http_to_https', run: () => checkRedirect(new URL(base), plainPort) },
  ]
}

async function checkCertificate(url: URL): Promise<Finding> {
  if (url.protocol !== 'https:')
    return isLocal(url)
      ? skipped('a loopback address needs no TLS')
      : failed(`${url.origin} is not https`, 'Serve the school with TLS: tokens and passwords are sent to this address.')
  const socket = await open(url)
  const certificate = socket.getPeerCertificate()
  const [protocol, problem] = [socket.getProtocol(), socket.authorizationError]
  socket.destroy()
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / 86_400_000)
  if (days < 0) return failed(`the certificate expired on ${certificate.valid_to}`, 'Renew the certificate, and let the gateway load it.')
  if (problem)
    return failed(
      `the certificate is not trusted: ${problem}`,
      `Install the whole chain of a certificate for ${url.hostname} (it is for ${namesOf(certificate)}). For a private authority set NODE_EXTRA_CA_CERTS here.`,
    )
  if (protocol !== 'TLSv1.3' && protocol !== 'TLSv1.2') return failed(`the connection uses ${protocol}`, 'Offer TLS 1.2 and 1.3 only.')
  if (days < warnDays)
    return warned(`the certificate expires in ${days} days`, 'Renew the certificate, and check that its renewal is automatic.')
  return passed(`${protocol}, valid for ${days} days`)
}

async function open(url: URL): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const socket = connect({
    host: url.hostname,
    port: Number(url.port || 443),
    servername: /[a-z]/i.test(url.hostname) ? url.hostname : '',
    rejectUnauthorized: false,
  })
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no TLS connection within ${timeoutMs / 1000} s`)))
  socket.once('secureConnect', () => resolve(socket)).once('error', reject)
  return await promise
}

const namesOf = ({ subjectaltname: names, subject }: PeerCertificate): string => names ?? String(subject?.CN ?? 'no name')

async function checkRedirect(url: URL, plainPort: number): Promise<Finding> {
  if (url.protocol !== 'https:') return skipped('the address is not https')
  if (url.port !== '') return skipped('the address has its own port')
  const address = `http://${url.hostname}:${plainPort}/`
  try {
    const { status, headers } = await sendRequest(address)
    if (status >= 300 && status < 400 && String(headers.location).startsWith(`${url.origin}/`)) return passed('http leads to https')
    return failed(`${address} answers ${status} without leading to https`, 'Redirect port 80 to https with 308, or close it.')
  } catch {
    return passed('port 80 is closed')
  }
}

const isLocal = ({ hostname }: URL): boolean => /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname)
