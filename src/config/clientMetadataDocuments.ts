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
