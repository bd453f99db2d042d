import { z } from 'zod'
import { noRepeats, numbersRule, scopeName } from './rules.ts'

const registration = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether clients may register themselves (RFC 7591).', examples: [true] }),
    loopback_hosts: z
      .array(z.enum(['127.0.0.1', '[::1]', 'localhost']))
      .min(1)
      .superRefine(...noRepeats())
      .refine((hosts) => hosts[0] === '127.0.0.1', { params: { expected: 'must begin with 127.0.0.1, which is always taken' } })
      .default(['127.0.0.1'])
      .meta({
        description: 'Hosts that a self-registered client may redirect to, in exactly this spelling. Some agents redirect to localhost.',
        examples: [['127.0.0.1', '[::1]', 'localhost']],
      }),
    max_redirect_uris: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .meta({ description: 'How many redirect URIs one client may have.', examples: [5] }),
    never_used_days: z
      .int()
      .min(1)
      .max(365)
      .default(7)
      .meta({ description: 'A registration that nobody authorized within this time is removed.', examples: [3] }),
    idle_days: z
      .int()
      .min(1)
      .max(3650)
      .default(90)
      .meta({ description: 'A self-registered client without a living grant is removed after this time.', examples: [180] }),
  })
  .refine(...numbersRule(['never_used_days', 'idle_days'], (unused, idle) => unused <= idle, 'must not be more than idle_days'))
  .prefault({})
  .meta({ description: 'Self-service registration of clients.', examples: [{ enabled: true }] })

const lifetimes = z
  .strictObject({
    authorization_code_seconds: z
      .int()
      .min(10)
      .max(600)
      .default(60)
      .meta({ description: 'Time to redeem a code (RFC 6749 section 4.1.2).', examples: [60] }),
    handed_over_code_seconds: z
      .int()
      .min(60)
      .max(600)
      .default(300)
      .meta({ description: 'The same for a code that a person copies to an app on another machine.', examples: [120] }),
    access_token_seconds: z
      .int()
      .min(60)
      .max(86_400)
      .default(3600)
      .meta({ description: 'Life of an access token.', examples: [900] }),
    id_token_seconds: z
      .int()
      .min(60)
      .max(86_400)
      .default(3600)
      .meta({ description: 'Life of an ID token.', examples: [900] }),
    refresh_token_days: z
      .int()
      .min(1)
      .max(365)
      .default(60)
      .meta({ description: 'A refresh token that is not used for this long ends.', examples: [30] }),
    grant_days: z
      .int()
      .min(1)
      .max(3650)
      .default(365)
      .meta({ description: 'After this time a person is asked again, however busy the client is.', examples: [180] }),
    session_days: z
      .int()
      .min(1)
      .max(365)
      .default(14)
      .meta({ description: 'How long a browser stays signed in.', examples: [1] }),
    interaction_minutes: z
      .int()
      .min(5)
      .max(1440)
      .default(60)
      .meta({ description: 'Time to consent after signing in, and to sign in where an e-mail was asked for on the way.', examples: [30] }),
    sign_in_minutes: z
      .int()
      .min(1)
      .max(1440)
      .default(10)
      .meta({ description: 'How long an authorization request waits for somebody to sign in.', examples: [5] }),
  })
  .refine(
    ...numbersRule(
      ['refresh_token_days', 'grant_days'],
      (token, grant) => token <= grant,
      'must not be more than grant_days: no token outlives its grant',
    ),
  )
  .prefault({})
  .meta({ description: 'How long things live.', examples: [{ access_token_seconds: 900 }] })

const signingKeys = z
  .strictObject({
    publish_before_use_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(60)
      .meta({
        description: 'A new key is published this long before it signs, so that verifiers have it by then.',
        examples: [1440],
      }),
    keep_after_retirement_hours: z
      .int()
      .min(1)
      .max(8760)
      .default(48)
      .meta({
        description: 'A retired key stays published this long, so that what it signed can be verified.',
        examples: [72],
      }),
  })
  .prefault({})
  .meta({ description: 'Overlap of signing keys when they are rotated.', examples: [{ keep_after_retirement_hours: 72 }] })

/** `oauth.yaml`: the authorization server, the same for all schools. */
export const oauthSchema = (knownScopes: readonly string[]) =>
  z
    .strictObject({
      registration,
      require_state: z
        .boolean()
        .default(false)
        .meta({ description: 'Whether authorization requests without `state` are refused.', examples: [true] }),
      refresh_window_seconds: z
        .int()
        .min(0)
        .max(600)
        .default(60)
        .meta({
          description:
            'How long a used refresh token still answers, to the same client, with the same new pair: parallel sessions of one agent do not sign each other out. 0 turns it off.',
          examples: [30],
        }),
      baseline_scopes: z
        .array(scopeName(knownScopes))
        .min(1)
        .superRefine(...noRepeats())
        .default(['openid', 'profile', 'email', 'school:read', 'courses:read'])
        .meta({
          description:
            'What a client should ask for when it knows no better (RFC 9728 scopes_supported). Keep it small: many clients ask for all of it.',
          examples: [['openid', 'courses:read']],
        }),
      lifetimes,
      signing_keys: signingKeys,
    })
    .refine(
      ...numbersRule(
        ['signing_keys.keep_after_retirement_hours', 'lifetimes.id_token_seconds'],
        (hours, seconds) => hours * 3600 >= seconds,
        'must not be less than lifetimes.id_token_seconds: the tokens that a key signed could not be verified',
      ),
    )

export type OAuthConfig = z.output<ReturnType<typeof oauthSchema>>
