import { z } from 'zod'
import { isOrigin, network } from './address.ts'
import { auditRetention } from './auditRetention.ts'
import { noRepeats } from './rules.ts'
import { tracing } from './tracing.ts'

const longestWindow = 86_400

function rateLimit(requests: number, windowSeconds: number, description: string) {
  return z
    .strictObject({
      requests: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(requests)
        .meta({ description: 'Maximum number of requests per key within the window.', examples: [requests * 2] }),
      window_seconds: z
        .int()
        .min(1)
        .max(longestWindow)
        .default(windowSeconds)
        .meta({ description: 'Length of the window.', examples: [windowSeconds < longestWindow ? windowSeconds * 2 : windowSeconds / 2] }),
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
    'Failed sign-ins in a browser that signed in to this account before, per browser and account. They do not count towards the limits of strangers.',
  ),
  sign_in_per_account_known_browsers: rateLimit(
    30,
    3600,
    'Failed sign-ins, per account, in all browsers together that signed in to this account before.',
  ),
  sign_in_per_address: rateLimit(50, 900, 'Failed sign-ins, per address.'),
  password_uses_per_account: rateLimit(
    30,
    300,
    'Sign-ins, confirmations and new passwords that succeed, per account and network of the caller (IPv4 /24, IPv6 /64).',
  ),
  password_uses_per_network: rateLimit(
    1500,
    300,
    'Sign-ins, failed or not, in browsers that are new to the account, per network of the caller (IPv4 /24, IPv6 /64), over all schools. A whole school can be behind one address.',
  ),
  second_factor_per_account: rateLimit(5, 900, 'Wrong codes of a second factor, per account.'),
  second_factor_per_account_daily: rateLimit(30, 86_400, 'The same for a longer time: a code of six digits must not be guessed.'),
  sign_up_per_address: rateLimit(20, 3600, 'Sign-ups of people, per address.'),
  password_reset_per_address: rateLimit(20, 3600, 'Requests for a new password, per address.'),
  form_per_network: rateLimit(60, 3600, 'Submissions of the forms of a school, per network of the caller (IPv4 /24, IPv6 /64).'),
  form_total: rateLimit(600, 3600, 'Submissions of one form, from all networks.'),
  calendar: rateLimit(60, 3600, 'Requests for the calendar of a person by its secret address, per calendar.'),
  message_per_recipient: rateLimit(5, 3600, 'E-mails with a link that people request, per recipient address.'),
  notice_per_account: rateLimit(10, 3600, 'E-mails of the same kind that inform a person about their account, per account.'),
  authorize: rateLimit(60, 60, 'Authorization requests, per address.'),
  bad_credentials: rateLimit(
    60,
    60,
    'Requests to UserInfo with an invalid access token, and requests for files that do not exist or have an invalid signature, per address.',
  ),
  token: rateLimit(300, 60, 'Requests to the token and revocation endpoints, per address.'),
  introspection: rateLimit(1200, 60, 'Requests to the introspection endpoint, per address.'),
  client_document_failures: rateLimit(
    10,
    600,
    'Authorization requests of clients that the school does not know yet, whose metadata document could not be loaded or is invalid, per address. Clients that the school knows are not refused.',
  ),
  anonymous: rateLimit(120, 60, 'API requests without a token, per address.'),
  page: rateLimit(600, 60, 'Requests for the public pages of a school, per address. A whole class can be behind one address.'),
  mcp: rateLimit(300, 60, 'MCP messages without a token, per address. Hosted agents of many people share addresses.'),
  anonymous_per_network: rateLimit(
    3000,
    60,
    'Requests without a token to the API, the public pages and MCP together, per network of the caller (IPv4 /24, IPv6 /64).',
  ),
  default: rateLimit(600, 60, 'API requests with a token, per client and person.'),
  write: rateLimit(120, 60, 'API requests with a token that change data (POST, PUT, PATCH, DELETE), per client and person.'),
  bulk: rateLimit(
    10,
    60,
    'API requests with a token that transfer many rows (bulk calls, imports, lists as CSV or NDJSON), per client and person.',
  ),
  upload: rateLimit(60, 60, 'API requests with a token that upload files, per client and person.'),
  guess: rateLimit(10, 60, 'API requests that can be used to guess a code, a number or an address, per address and per person.'),
}

/** The description of each rate limit. */
export const rateLimitTexts = Object.fromEntries(
  Object.entries(limitedActions).map(([name, limit]) => [name, limit.meta()?.description ?? '']),
) as Record<keyof typeof limitedActions, string>

const rateLimits = z
  .strictObject(limitedActions)
  .prefault({})
  .meta({
    description: 'Rate limits. A request above a limit gets 429 with Retry-After.',
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
      .refine((list) => !list.includes('*') || list.length === 1, {
        params: { expected: 'must not contain other origins next to *: remove them, or remove *' },
      })
      .default(['*'])
      .meta({
        description:
          'Origins whose scripts may read responses of the API and the documents, always without cookies. Pages are excluded. /mcp accepts requests from the school itself, from loopback origins and from the origins listed here; * adds none.',
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

/** Schema of `server.yaml`: the process and the gateway in front of it. */
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
  tracing,
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
