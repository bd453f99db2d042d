import type { School } from '../../base/school.ts'
import { listClients } from '../../database/tables/administration.ts'
import type { Session } from '../cli/session.ts'
import { type Finding, failed, passed, skipped, warned } from './check.ts'
import { sendRequest } from './sendRequest.ts'

interface Client {
  clientId: string
  addresses: readonly string[]
}

interface SignOutArguments {
  base: string
  school(): Promise<School>
  session: Session
}

const state = 'a/b c'

/** Signs nobody out at the address of every integration, which then must lead back to it. */
export async function checkSignOut({ base, school: find, session }: SignOutArguments): Promise<Finding> {
  const { id: schoolId } = await find()
  const clients = (await listClients(await session.prisma(), { schoolId, via: ['file', 'operator'] }))
    .filter(({ disabled_at: disabledAt }) => disabledAt === null)
    .map(({ id: clientId, metadata }): Client => ({ clientId, addresses: [metadata.post_logout_redirect_uris ?? []].flat().map(String) }))
  return clients.length === 0 ? skipped('the school has no integrations') : await checkClients(base, clients)
}

export async function checkSignOutOf(base: string, { clientId, addresses }: Client): Promise<Finding> {
  if (addresses.length > 0) return await checkClients(base, [{ clientId, addresses }])
  return warned(
    `${clientId} has no post_logout_redirect_uris: a sign-out ends at the school, and does not lead back to the app`,
    'Add the address after the sign-out that the app sends, byte for byte. Without one, leave it as it is.',
  )
}

async function checkClients(base: string, clients: readonly Client[]): Promise<Finding> {
  const wrong: string[] = []
  for (const { clientId, addresses } of clients)
    for (const address of addresses) {
      const parameters = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: address, state })
      const { status, headers } = await sendRequest(`${base}/oauth/logout?${parameters}`)
      const end = new URL(address)
      end.searchParams.set('state', state)
      if (status !== 303 || headers.location !== end.href) wrong.push(`${clientId}: ${address} is not reached (status ${status})`)
    }
  if (wrong.length > 0)
    return failed(
      wrong.join('; '),
      'Reload the service, which may have another file of the school. If that does not help, compare the gateway with deploy/nginx.conf or deploy/Caddyfile: it may not change Location.',
    )
  const back = clients.flatMap(({ addresses }) => addresses).length
  const without = clients.filter(({ addresses }) => addresses.length === 0).map(({ clientId }) => clientId)
  return passed(`${back} addresses of integrations are reached${without.length > 0 ? `; no address has ${without.join(', ')}` : ''}`)
}
