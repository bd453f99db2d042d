import { isIP } from 'node:net'
import { z } from 'zod'
import { noRepeats } from './rules.ts'

function isReceiver(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    /^[\x21-\x7e]+$/.test(text)
  )
}

const endpoint = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)
    .meta({
      title: '1 to 40 lower-case letters, digits, hyphens or underscores',
      description: 'Name in commands, logs and lists.',
      examples: ['crm'],
    }),
  url: z
    .string()
    .max(2048)
    .refine(isReceiver)
    .meta({
      title: 'an https:// address without a password and a fragment',
      description: 'URL that gets a POST request for each event. It is not logged, because it may contain a key.',
      examples: ['https://crm.example.com/hooks/schoolgate'],
      writeOnly: true,
    }),
  types: z
    .array(z.string().max(100))
    .min(1)
    .max(200)
    .superRefine(...noRepeats())
    .meta({
      description:
        'Events: types of the change feed such as order, and security events such as security.grant.revoked. `security` stands for all events that concern access.',
      examples: [['order', 'enrollment', 'security']],
    }),
  secrets: z
    .array(
      z
        .string()
        .regex(/^(file:.{1,1000}|env:[A-Za-z_][A-Za-z0-9_]{0,99})$/)
        .meta({ title: 'file: and the path of a file, or env: and the name of an environment variable' }),
    )
    .min(1)
    .max(4)
    .superRefine(...noRepeats())
    .meta({
      description:
        'Where the signing secrets are. Each secret is `whsec_` and 24 to 64 bytes in base64. Every request is signed with all of them: to rotate a secret, add the new one, change the receiver, and remove the old one. Generate one: `echo "whsec_$(openssl rand -base64 32)"`',
      examples: [['file:/run/secrets/crm_webhook']],
    }),
  enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'false records no events for the endpoint.', examples: [false] }),
})

export type WebhookEndpoint = z.output<typeof endpoint>

export const webhookKeys = {
  webhooks: z
    .array(endpoint)
    .max(20)
    .superRefine(...noRepeats('name'))
    .default([])
    .meta({
      description: 'Receivers of webhooks (docs/webhooks.md). Events from before an endpoint is added are not sent.',
      examples: [
        [
          {
            name: 'crm',
            url: 'https://crm.example.com/hooks/schoolgate',
            types: ['order', 'enrollment'],
            secrets: ['file:/run/secrets/crm_webhook'],
          },
        ],
      ],
    }),
  webhook_private_hosts: z
    .array(z.string().refine((host) => isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(host)))
    .max(20)
    .superRefine(...noRepeats())
    .default([])
    .meta({
      description:
        'Hosts of webhooks that may have an address in a private network, and may use http://. All other hosts must have public addresses and use https://.',
      examples: [['crm.internal']],
    }),
}

export const isPrivateHost = (url: URL, hosts: readonly string[]): boolean => hosts.includes(url.hostname.replace(/^\[(.*)\]$/, '$1'))
