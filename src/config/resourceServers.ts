import { z } from 'zod'
import { absoluteUri } from './address.ts'
import { clientId, line, noRepeats, scopeName } from './rules.ts'

const resourceServer = (knownScopes: readonly string[]) =>
  z.strictObject({
    identifier: absoluteUri.meta({
      description: 'Value that clients send as `resource`, compared byte for byte.',
      examples: ['https://reports.example.com'],
    }),
    name: line(80).meta({ description: 'Name on the consent page.', examples: ['Reports'] }),
    scopes: z
      .array(scopeName(knownScopes))
      .min(1)
      .superRefine(...noRepeats())
      .meta({ description: 'Scopes that a token for this API can contain.', examples: [['courses:read', 'analytics:read']] }),
    introspection_clients: z
      .array(clientId)
      .max(20)
      .superRefine(...noRepeats())
      .default([])
      .meta({
        description: 'Clients that may introspect tokens for this API (RFC 7662): integrations with a secret.',
        examples: [['reports-backend']],
      }),
  })

export const resourcesSchema = (knownScopes: readonly string[]) =>
  z.strictObject({
    resource_servers: z
      .array(resourceServer(knownScopes))
      .max(100)
      .superRefine(...noRepeats('identifier'))
      .default([])
      .meta({
        description:
          'Other APIs that accept tokens of this service. The API and the MCP endpoint of each school are included automatically.',
        examples: [
          [
            {
              identifier: 'https://reports.example.com',
              name: 'Reports',
              scopes: ['courses:read'],
              introspection_clients: ['reports-backend'],
            },
          ],
        ],
      }),
  })

export type ResourcesConfig = z.output<ReturnType<typeof resourcesSchema>>
export type ResourceServerConfig = ResourcesConfig['resource_servers'][number]
