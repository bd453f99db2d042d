import { z } from 'zod'
import { schemeError } from '../base/net/privateUseUri.ts'
import { clientMetadataDocuments } from './clientMetadataDocuments.ts'
import { noRepeats, numbersRule, scopeName } from './rules.ts'

const registration = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'Allow clients to register themselves (RFC 7591).', examples: [true] }),
    loopback_hosts: z
      .array(z.enum(['127.0.0.1', '[::1]', 'localhost']))
      .min(1)
      .superRefine(...noRepeats())
      .refine((hosts) => hosts[0] === '127.0.0.1', { params: { expected: 'must begin with 127.0.0.1, which is always allowed' } })
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
      .meta({ description: 'Maximum number of redirect URIs of one client.', examples: [5] }),
    never_used_days: z
      .int()
      .min(1)
      .max(365)
      .default(7)
      .meta({ description: 'Time after which a self-registered client without an authorization is deleted.', examples: [3] }),
    idle_days: z
      .int()
      .min(1)
      .max(3650)
      .default(90)
      .meta({ description: 'Time after which a self-registered client without an active grant is deleted.', examples: [180] }),
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
      .meta({ description: 'Time to redeem a code that a person copies to an app on another machine.', examples: [120] }),
    access_token_seconds: z
      .int()
      .min(60)
      .max(86_400)
      .default(3600)
      .meta({ description: 'Lifetime of an access token.', examples: [900] }),
    id_token_seconds: z
      .int()
      .min(60)
      .max(86_400)
      .default(3600)
      .meta({ description: 'Lifetime of an ID token.', examples: [900] }),
    refresh_token_days: z
      .int()
      .min(1)
      .max(365)
      .default(60)
      .meta({ description: 'Time after which an unused refresh token expires.', examples: [30] }),
    grant_days: z
      .int()
      .min(1)
      .max(3650)
      .default(365)
      .meta({ description: 'Time after which the person must consent again, even if the client is in use.', examples: [180] }),
    session_days: z
      .int()
      .min(1)
      .max(365)
      .default(14)
      .meta({ description: 'How long a browser stays signed in if the person ticked “Stay signed in”.', examples: [1] }),
    unremembered_session_hours: z
      .int()
      .min(1)
      .max(72)
      .default(12)
      .meta({
        description: 'How long a browser stays signed in otherwise. It is signed out earlier if it is closed.',
        examples: [4],
      }),
    interaction_minutes: z
      .int()
      .min(5)
      .max(1440)
      .default(60)
      .meta({
        description: 'Time to consent after signing in, and to sign in if the person requested an e-mail in between.',
        examples: [30],
      }),
    sign_in_minutes: z
      .int()
      .min(1)
      .max(1440)
      .default(10)
      .meta({ description: 'Time to sign in after an authorization request.', examples: [5] }),
  })
  .refine(
    ...numbersRule(
      ['refresh_token_days', 'grant_days'],
      (token, grant) => token <= grant,
      'must not be more than grant_days, because a token cannot outlive its grant',
    ),
  )
  .prefault({})
  .meta({ description: 'Lifetimes of codes, tokens, grants and sessions.', examples: [{ access_token_seconds: 900 }] })

const consent = z
  .strictObject({
    default_duration: z
      .enum(['1_hour', '1_day', '30_days', 'until_removed'])
      .default('until_removed')
      .meta({
        description:
          'How long an app gets access if the person chooses nothing else on the consent page. until_removed ends after lifetimes.grant_days, as does every longer duration.',
        examples: ['30_days'],
      }),
    ask_first: z
      .enum(['off', 'preselected', 'always'])
      .default('off')
      .meta({
        description:
          'Whether people decide before an app does what cannot be taken back: off lets them choose it, preselected ticks it on the consent page, always requires it of every app.',
        examples: ['preselected'],
      }),
  })
  .prefault({})
  .meta({ description: 'The page on which people allow access.', examples: [{ default_duration: '30_days' }] })

const signingKeys = z
  .strictObject({
    publish_before_use_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(60)
      .meta({
        description: 'Time between the publication of a new key and its first signature, so that verifiers can load it.',
        examples: [1440],
      }),
    keep_after_retirement_hours: z
      .int()
      .min(1)
      .max(8760)
      .default(48)
      .meta({
        description: 'Time for which a retired key stays published, so that its signatures can be verified.',
        examples: [72],
      }),
  })
  .prefault({})
  .meta({ description: 'Overlap of signing keys during a rotation.', examples: [{ keep_after_retirement_hours: 72 }] })

const privateUseSchemes = z
  .array(
    z
      .string()
      .max(100)
      .superRefine((scheme, context) => {
        const expected = schemeError(scheme)
        if (expected) context.addIssue({ code: 'custom', params: { expected } })
      })
      .meta({ title: 'a scheme in lower case, such as cursor' }),
  )
  .max(50)
  .superRefine(...noRepeats())
  .default(['claude', 'cursor'])
  .meta({
    description:
      'Private-use schemes that redirect URIs may have although they are not a domain name in reverse order (RFC 8252 section 7.1), such as cursor://. Any app on a device can claim such a scheme, so list only those of apps that people here use. Self-registered clients cannot use them.',
    examples: [['claude', 'cursor', 'vscode']],
  })

export const oauthSchema = (knownScopes: readonly string[]) =>
  z
    .strictObject({
      registration,
      client_metadata_documents: clientMetadataDocuments,
      private_use_schemes: privateUseSchemes,
      require_state: z
        .boolean()
        .default(false)
        .meta({ description: 'Reject authorization requests without `state`.', examples: [true] }),
      refresh_window_seconds: z
        .int()
        .min(0)
        .max(600)
        .default(60)
        .meta({
          description:
            'Time for which a used code or refresh token still returns the same tokens to the same client, so that lost responses and parallel sessions of one agent do not end a sign-in. 0 turns it off, as the certification of OpenID expects for codes.',
          examples: [30],
        }),
      baseline_scopes: z
        .array(scopeName(knownScopes))
        .min(1)
        .superRefine(...noRepeats())
        .default(['openid', 'profile', 'email', 'account:read', 'courses:read'])
        .meta({
          description:
            'Scopes that clients request by default (RFC 9728 scopes_supported). Keep the list short: many clients request all of them.',
          examples: [['openid', 'courses:read']],
        }),
      lifetimes,
      consent,
      signing_keys: signingKeys,
    })
    .refine(
      ...numbersRule(
        ['signing_keys.keep_after_retirement_hours', 'lifetimes.id_token_seconds'],
        (hours, seconds) => hours * 3600 >= seconds,
        'must not be less than lifetimes.id_token_seconds, so that the tokens of a retired key can be verified',
      ),
    )

export type OAuthConfig = z.output<ReturnType<typeof oauthSchema>>
