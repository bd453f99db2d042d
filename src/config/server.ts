import { z } from 'zod'
import { isOrigin, network } from './address.ts'
import { noRepeats } from './rules.ts'

function rateLimit(requests: number, windowSeconds: number, description: string) {
  return z
    .strictObject({
      requests: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(requests)
        .meta({ description: 'How often one key may do this within the window.', examples: [requests * 2] }),
      window_seconds: z
        .int()
        .min(1)
        .max(86_400)
        .default(windowSeconds)
        .meta({ description: 'How long the window is.', examples: [windowSeconds * 2] }),
    })
    .prefault({})
    .meta({ description, examples: [{ requests: requests * 2 }] })
}

const limitedActions = {
  registration: rateLimit(60, 3600, 'Self-registrations of clients, per address.'),
  sign_in_per_account: rateLimit(10, 900, 'Failed sign-ins, per account and network of the caller (IPv4 /24, IPv6 /64).'),
  sign_in_per_account_total: rateLimit(100, 3600, 'Failed sign-ins, per account over all networks.'),
  sign_in_per_known_browser: rateLimit(
    10,
    900,
    'Failed sign-ins in a browser that signed in to this account before, per browser and account. They count under no other limit.',
  ),
  sign_in_per_address: rateLimit(50, 900, 'Failed sign-ins, per address.'),
  sign_up_per_address: rateLimit(20, 3600, 'Sign-ups of people, per address.'),
  password_reset_per_address: rateLimit(20, 3600, 'Requests for a new password, per address.'),
  message_per_recipient: rateLimit(5, 3600, 'Messages with a link that people ask for, per e-mail address that they go to.'),
  authorize: rateLimit(60, 60, 'Authorization requests, per address.'),
  bad_credentials: rateLimit(
    60,
    60,
    'Requests to UserInfo with a bad access token, and requests for files that do not exist or are badly signed, per address.',
  ),
  token: rateLimit(300, 60, 'Requests to the token and revocation endpoints, per address.'),
  introspection: rateLimit(1200, 60, 'Requests to the introspection endpoint, per address.'),
  anonymous: rateLimit(120, 60, 'API requests without a token, per address.'),
  default: rateLimit(600, 60, 'API requests with a token, per client and person.'),
  write: rateLimit(120, 60, 'Of these, changes (POST, PUT, PATCH, DELETE).'),
  bulk: rateLimit(10, 60, 'Of these, what moves many rows: bulk calls, imports, and lists as CSV or NDJSON.'),
  upload: rateLimit(60, 60, 'Of these, uploads of files.'),
  guess: rateLimit(10, 60, 'API requests that try a code, a number or an address, per address and per person.'),
}

/** Describes what each rate limit counts. */
export const rateLimitTexts = Object.fromEntries(
  Object.entries(limitedActions).map(([name, limit]) => [name, limit.meta()?.description ?? '']),
) as Record<keyof typeof limitedActions, string>

const rateLimits = z
  .strictObject(limitedActions)
  .prefault({})
  .meta({
    description: 'How often things may be done. One request more gets 429 with Retry-After.',
    examples: [{ anonymous: { requests: 300 } }],
  })

const allowedOrigin = z
  .string()
  .max(255)
  .refine((text) => text === '*' || isOrigin(text))
  .meta({ title: 'an origin such as https://app.example.com, or *' })

const cors = z
  .strictObject({
    allowed_origins: z
      .array(allowedOrigin)
      .max(100)
      .superRefine(...noRepeats())
      .refine((list) => !list.includes('*') || list.length === 1, { params: { expected: 'must hold nothing else where it holds *' } })
      .default(['*'])
      .meta({
        description:
          'Origins whose scripts may read answers of the API and the documents. Never those of pages, and never with cookies. /mcp takes requests from the school itself, loopback origins and those named here; * names none.',
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
        description: 'How much one school may store, announced uploads included. Beyond that an upload gets 409.',
        examples: [100 * gibibyte],
      }),
    uploads_per_minute: z
      .int()
      .min(1)
      .max(10_000)
      .default(60)
      .meta({ description: 'How many files one person may bring in a minute. One more gets 429.', examples: [120] }),
    bytes_per_day: z
      .int()
      .min(1)
      .default(20 * gibibyte)
      .meta({ description: 'How much one person may bring in a day. More gets 429.', examples: [40 * gibibyte] }),
    slowest_bytes_per_second: z
      .int()
      .min(1)
      .default(8192)
      .meta({
        description: 'An upload that is slower than this over its whole length is cut off; the first 30 seconds are free.',
        examples: [16_384],
      }),
  })
  .prefault({})
  .meta({ description: 'What the files of a school may take.', examples: [{ quota_bytes: 100 * gibibyte }] })

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
      .meta({ description: 'How many more may wait. Beyond that a sign-in gets 503.', examples: [64] }),
  })
  .prefault({})
  .meta({ description: 'What checking passwords (argon2id) may cost.', examples: [{ concurrency: 4 }] })

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
      .default(true)
      .meta({
        description:
          'Whether statements are prepared once for each connection. Set to false behind a pooler that shares connections between transactions and cannot keep prepared statements, such as PgBouncer before 1.21 in transaction mode: every statement is then planned at every run.',
        examples: [false],
      }),
  })
  .prefault({})
  .meta({
    description:
      'How one process connects to PostgreSQL: the number of connections at most, by kind of work. Add four for each process: one for readiness, one for migrations at start, two for the locks of background jobs. The embedded database has one session and ignores this.',
    examples: [{ api: 20 }],
  })

/** `server.yaml`: the process and the gateway in front of it. */
export const serverSchema = z.strictObject({
  trusted_proxies: z
    .array(network)
    .max(100)
    .superRefine(...noRepeats())
    .default([])
    .meta({
      description:
        "Gateways whose X-Forwarded-For is believed when a caller's address is looked for. Nothing else is taken from forwarded headers.",
      examples: [['loopback', '10.0.0.0/8', 'fd00::/8']],
    }),
  rate_limits: rateLimits,
  cors,
  passwords,
  storage,
  database_connections: databaseConnections,
  drain_seconds: z
    .int()
    .min(0)
    .max(300)
    .default(5)
    .meta({
      description:
        'How long the process still accepts requests after SIGTERM, while /readyz answers 503 and every response closes its connection, so that gateways move to other processes. 0 where no gateway is in front. Ctrl-C does not wait.',
      examples: [15],
    }),
  known_browser_days: z
    .int()
    .min(1)
    .max(400)
    .default(180)
    .meta({
      description:
        'How long a browser is recognised after a sign-in. It has a separate allowance of failed sign-ins, so that a stranger cannot lock its owner out.',
      examples: [90],
    }),
  shutdown_seconds: z
    .int()
    .min(1)
    .max(300)
    .default(20)
    .meta({ description: 'How long requests in flight may take once no more are accepted. Later ones are cut off.', examples: [30] }),
})

export type ServerConfig = z.output<typeof serverSchema>
