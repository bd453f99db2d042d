import { z } from 'zod'
import { isOrigin, network } from './address.ts'
import { rateLimits } from './rateLimits.ts'
import { noRepeats, numbersRule } from './rules.ts'
import { tracing } from './tracing.ts'

const keptDays = (days: number, description: string) =>
  z
    .int()
    .min(1)
    .max(3650)
    .default(days)
    .meta({ description, examples: [days * 2] })

const auditRetention = z
  .strictObject({
    days: keptDays(365, 'Time for which entries of the audit trail are kept.'),
    security_days: keptDays(
      730,
      'Time for which entries are kept that show who could access what: consents, grants, passwords, roles, keys and the work of operators. docs/audit.md lists them. At least `days`.',
    ),
    full_address_days: keptDays(
      30,
      'Time after which network addresses are shortened to their network: 203.0.113.0/24, 2001:db8:1::/48. The full address helps against an attack that is under way.',
    ),
  })
  .refine(...numbersRule(['security_days', 'days'], (security, other) => security >= other, 'must be at least days'))
  .prefault({})
  .meta({
    description: 'Retention of the audit trail. A job deletes expired entries and shortens addresses every hour.',
    examples: [{ days: 180, security_days: 365, full_address_days: 7 }],
  })

const undo = z
  .strictObject({
    days: z
      .int()
      .min(0)
      .max(90)
      .default(30)
      .meta({
        description:
          'Time for which people can take back what an app or a person changed, with what was deleted. What was changed is kept encrypted for that time. 0 turns it off.',
        examples: [14],
      }),
  })
  .prefault({})
  .meta({ description: 'Taking changes back.', examples: [{ days: 14 }] })

const apps = z
  .strictObject({
    outgoing_delay: z
      .int()
      .min(0)
      .max(3600)
      .default(300)
      .meta({
        description:
          'Time in seconds for which e-mails and webhooks about what an app changed wait, so that people can stop them, or take the change back before anybody is informed. Codes and notices about security never wait. 0 turns it off.',
        examples: [600],
      }),
  })
  .prefault({})
  .meta({ description: 'Apps that people connect.', examples: [{ outgoing_delay: 600 }] })

/** True for an origin of an extension or an app with its own scheme, as browsers send it: `chrome-extension://` and an id. */
const isAppOrigin = (text: string): boolean => /^(?!https?:|file:)[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+$/.test(text)

const allowedOrigin = z
  .string()
  .max(255)
  .refine((text) => text === '*' || isOrigin(text) || isAppOrigin(text))
  .meta({ title: 'an origin such as https://app.example.com, or *' })

const cors = z
  .strictObject({
    allowed_origins: z
      .array(allowedOrigin)
      .max(100)
      .superRefine(...noRepeats())
      .refine((list) => !list.includes('*') || list.length === 1, {
        params: { expected: 'must not contain other origins next to *: remove them, or remove *' },
      })
      .default(['*'])
      .meta({
        description:
          'Origins whose scripts may read responses of the API and the documents, always without cookies. Pages are excluded. Extensions and apps have origins such as chrome-extension://ID. For /mcp, * counts at schools with a public https address only; at a loopback or private host, pages of the school itself, of loopback origins and of the origins listed here may call.',
        examples: [['https://app.example.com']],
      }),
  })
  .prefault({})
  .meta({ description: 'Which web sites may call the service from a browser.', examples: [{ allowed_origins: ['*'] }] })

const gibibyte = 1_073_741_824

const storage = z
  .strictObject({
    quota_bytes: z
      .int()
      .min(1)
      .default(50 * gibibyte)
      .meta({
        description: 'Storage quota of a school, including announced uploads. An upload above it gets 409.',
        examples: [100 * gibibyte],
      }),
    uploads_per_minute: z
      .int()
      .min(1)
      .max(10_000)
      .default(60)
      .meta({
        description: 'Maximum number of files that one person may upload per minute. An upload above it gets 429.',
        examples: [120],
      }),
    bytes_per_day: z
      .int()
      .min(1)
      .default(20 * gibibyte)
      .meta({
        description: 'Maximum number of bytes that one person may upload per day. An upload above it gets 429.',
        examples: [40 * gibibyte],
      }),
    slowest_bytes_per_second: z
      .int()
      .min(1)
      .default(8192)
      .meta({
        description: 'Minimum average speed of an upload. Slower uploads are aborted after the first 30 seconds.',
        examples: [16_384],
      }),
  })
  .prefault({})
  .meta({ description: 'Limits of file storage and uploads.', examples: [{ quota_bytes: 100 * gibibyte }] })

const passwords = z
  .strictObject({
    concurrency: z
      .int()
      .min(1)
      .max(64)
      .default(2)
      .meta({ description: 'Number of concurrent password checks. Each takes 19 MiB and a core.', examples: [4] }),
    queue: z
      .int()
      .min(0)
      .max(1000)
      .default(32)
      .meta({
        description:
          'Maximum number of waiting password checks. Networks take turns, and so do the accounts of a network; a quarter of the places is kept for browsers that signed in before. If the queue is full, the caller with the most waiting checks gets 503.',
        examples: [64],
      }),
  })
  .prefault({})
  .meta({ description: 'Resources for password checks (Argon2id).', examples: [{ concurrency: 4 }] })

const connections = (count: number, description: string) =>
  z
    .int()
    .min(1)
    .max(200)
    .default(count)
    .meta({ description, examples: [count * 2] })

const databaseConnections = z
  .strictObject({
    api: connections(10, 'For the API, MCP and the documents. At most 60 % of them run changes at the same time.'),
    authorization: connections(4, 'For the authorization server and its pages.'),
    background: connections(2, 'For background jobs.'),
    named_statements: z
      .boolean()
      .optional()
      .meta({
        description:
          'Prepare statements once for each connection. Default: true, but false with pooler=transaction in DATABASE_URL, because PgBouncer before 1.21 cannot keep prepared statements: every statement is then planned at every run. true needs PgBouncer 1.21 with max_prepared_statements.',
        examples: [false],
      }),
  })
  .prefault({})
  .meta({
    description:
      'Maximum number of PostgreSQL connections of one process, by kind of work. Add four for each process: one for readiness, one for migrations at start, two for the locks of background jobs. The embedded database has one session and ignores this.',
    examples: [{ api: 20 }],
  })

export const serverSchema = z.strictObject({
  trusted_proxies: z
    .array(network)
    .max(100)
    .superRefine(...noRepeats())
    .default([])
    .meta({
      description: "Gateways whose X-Forwarded-For header determines the caller's address. Other forwarded headers are ignored.",
      examples: [['loopback', '10.0.0.0/8', 'fd00::/8']],
    }),
  rate_limits: rateLimits,
  cors,
  passwords,
  storage,
  database_connections: databaseConnections,
  audit: auditRetention,
  undo,
  apps,
  tracing,
  outgoing: z
    .enum(['on', 'off'])
    .default('on')
    .meta({
      description:
        'off sends no e-mails and no webhooks: the outbox keeps them as `withheld`. For a copy of an installation, so that it does not write to the people and receivers of the original. Requests that a sign-in needs, for keys and metadata of clients, are still sent.',
      examples: ['off'],
    }),
  drain_seconds: z
    .int()
    .min(0)
    .max(300)
    .default(5)
    .meta({
      description:
        'Time for which the process still accepts requests after SIGTERM, while /readyz returns 503 and every response closes its connection, so that gateways switch to other processes. Use 0 without a gateway. Ctrl-C does not wait.',
      examples: [15],
    }),
  known_browser_days: z
    .int()
    .min(1)
    .max(400)
    .default(180)
    .meta({
      description:
        'Time for which a browser is recognised after a sign-in. It has a separate limit of failed sign-ins, so that a stranger cannot lock the owner out.',
      examples: [90],
    }),
  shutdown_seconds: z
    .int()
    .min(1)
    .max(300)
    .default(20)
    .meta({
      description: 'Time for requests in flight to finish after the process stops accepting new ones. Then they are aborted.',
      examples: [30],
    }),
})

export type ServerConfig = z.output<typeof serverSchema>
