import { reasonOf } from '../../base/log/reason.ts'
import { createOutbound } from '../../base/net/outboundRequest.ts'
import type { Config } from '../../config/load.ts'
import { publicKeys } from '../../config/publicKeys.ts'
import { loadKeySet } from '../../identity/oidc/clientAssertions.ts'
import { type Finding, failed, passed, skipped } from './check.ts'

export async function checkClientKeys({ schools }: Pick<Config, 'schools'>): Promise<Finding> {
  const send = createOutbound()
  const addresses = schools.flatMap(({ integrations }) =>
    integrations.flatMap(({ client_id: client, enabled, jwks_uri: url }) => (enabled && url !== undefined ? [{ client, url }] : [])),
  )
  if (addresses.length === 0) return skipped('no integration has a jwks_uri')
  const problems: string[] = []
  for (const { client, url } of addresses) {
    try {
      const { keys } = await loadKeySet(send, new URL(url))
      const usable = publicKeys.safeParse({ keys })
      if (!usable.success) problems.push(`${client}: ${url} has no set of usable public keys`)
    } catch (error) {
      problems.push(`${client}: ${reasonOf(error)}`)
    }
  }
  if (problems.length === 0) return passed(`${addresses.length} key sets of integrations can be loaded`)
  return failed(problems.join('; '), 'Serve the public keys at jwks_uri, or write them to jwks in the file of the school.')
}
