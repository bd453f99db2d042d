import { z } from 'zod'

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
  form_confirmation_per_recipient: rateLimit(
    3,
    86_400,
    'E-mails that confirm a submission, per recipient address, of all forms of a school.',
  ),
  form_confirmation_per_network: rateLimit(
    20,
    3600,
    'E-mails that confirm a submission, per network of the sender (IPv4 /24, IPv6 /64). Submissions above the limit are stored without one.',
  ),
  comment_per_person: rateLimit(30, 3600, 'Comments that a person writes or changes on the pages of a school, per person.'),
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
  page: rateLimit(
    600,
    60,
    'Requests for the public pages of a school and the links that turn e-mails off, per address. A whole class can be behind one address.',
  ),
  mcp: rateLimit(300, 60, 'MCP messages without a token, per address. Hosted agents of many people share addresses.'),
  anonymous_per_network: rateLimit(3000, 60, 'All requests without a token, per network of the caller (IPv4 /24, IPv6 /64).'),
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

export const rateLimitTexts = Object.fromEntries(
  Object.entries(limitedActions).map(([name, limit]) => [name, limit.meta()?.description ?? '']),
) as Record<keyof typeof limitedActions, string>

export const rateLimits = z
  .strictObject(limitedActions)
  .prefault({})
  .meta({
    description: 'Rate limits. A request above a limit gets 429 with Retry-After.',
    examples: [{ anonymous: { requests: 300 } }],
  })
