import { nearest } from '../base/text/nearest.ts'
import type { ConfigIssue } from './configErrors.ts'
import type { Config } from './load.ts'

/**
 * Returns the introspection clients of resources.yaml that no school's file lists under integrations.
 * @param added the ids of integrations that were added by a command
 */
export function unknownIntrospectionClients({ resources, schools }: Config, added: ReadonlySet<string> = new Set()): ConfigIssue[] {
  const known = schools.flatMap(({ integrations }) => integrations.map(({ client_id: id }) => id))
  return resources.resource_servers.flatMap(({ introspection_clients: ids }, server) =>
    ids.flatMap((id, index): ConfigIssue[] => {
      if (known.includes(id) || added.has(id)) return []
      const key = `resource_servers[${server}].introspection_clients[${index}]`
      const expected = `is ${id}, which is not an integration of any school: add it to the school's file, or with schoolgate integrations add`
      return [{ file: 'resources.yaml', key, expected, nearest: nearest(id, known) }]
    }),
  )
}
