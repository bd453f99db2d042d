import { isIP } from 'node:net'
import { z } from 'zod'
import { noRepeats } from './rules.ts'

export const anyHost = 'any'

function isHost(text: string): boolean {
  if (text === anyHost) return true
  const url = URL.parse(`https://${text}/`)
  return url?.host === text && text.includes('.') && isIP(url.hostname) === 0 && !text.endsWith('.')
}

export const clientMetadataDocuments = z
  .strictObject({
    trusted_hosts: z
      .array(z.string().max(255).refine(isHost).meta({ title: 'a host such as app.example.com, with its port unless it is 443, or any' }))
      .max(200)
      .superRefine(...noRepeats())
      .refine((hosts) => !hosts.includes(anyHost) || hosts.length === 1, {
        params: { expected: 'must contain either any or host names, not both' },
      })
      .default([])
      .meta({
        description:
          'Hosts whose documents are accepted, compared exactly. An empty list turns documents off. With any, every website can identify a client: the consent page shows the host, and redirects with https:// must stay on it. Removing a host disables its clients and revokes their tokens.',
        examples: [['claude.ai', 'chatgpt.com', 'vscode.dev'], ['any']],
      }),
    offered_apps: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must have small letters, digits and hyphens, at most 40')
            .meta({ description: 'Name of the app in addresses of the API.', examples: ['claude-ai'] }),
          name: z
            .string()
            .min(1)
            .max(100)
            .meta({ description: 'Name of the app, as owners see it.', examples: ['claude.ai'] }),
          client_id: z
            .string()
            .max(2048)
            .refine((id) => URL.parse(id)?.href === id && id.startsWith('https://'), {
              params: { expected: 'must be the https:// address of a document' },
            })
            .meta({ description: 'Address of its document.', examples: ['https://claude.ai/oauth/mcp-oauth-client-metadata'] }),
        }),
      )
      .max(50)
      .refine((apps) => new Set(apps.map(({ id }) => id)).size === apps.length, {
        params: { expected: 'must not name an app twice' },
      })
      .optional()
      .meta({
        description:
          'Apps that the owners of a school can allow, each with exactly this document, although its host is not trusted. Default: the apps of /docs/apps that have a document. An empty list lets owners allow none. Removing an app disables its clients and revokes their tokens.',
        examples: [[]],
      }),
    fetches_per_minute: z
      .int()
      .min(1)
      .max(10_000)
      .default(60)
      .meta({
        description:
          'Maximum number of documents that the service requests in a minute for clients that the school does not know yet, and as many for known ones.',
        examples: [120],
      }),
    fetches_per_host_per_minute: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .meta({ description: 'The same for each host.', examples: [20] }),
  })
  .prefault({})
  .meta({
    description:
      'Clients that identify themselves by the URL of a document (draft-ietf-oauth-client-id-metadata-document), which VS Code, ChatGPT and Claude use. Off by default.',
    examples: [{ trusted_hosts: ['vscode.dev'] }],
  })
