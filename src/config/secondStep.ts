import { z } from 'zod'
import type { RoleScopes } from './roles.ts'
import { noRepeats } from './rules.ts'

const roles = ['owner', 'admin', 'lecturer', 'learner'] as const satisfies readonly (keyof RoleScopes)[]

/** Schema of the rule about second factors. */
export const secondStep = z
  .union([
    z.enum(['off', 'optional']),
    z.strictObject({
      required_for: z
        .array(z.enum(roles))
        .min(1)
        .max(roles.length)
        .superRefine(...noRepeats())
        .meta({
          description:
            'Roles whose people need a second factor. Those who have none set one up when they sign in, and cannot remove the last one. Browsers in which they signed in with the password alone have to sign in again; access of apps continues.',
          examples: [['owner', 'admin']],
        }),
    }),
  ])
  .default('optional')
  .meta({
    description:
      'Passkeys and authenticator apps. off: people cannot set them up, and sign-ins do not ask for them. optional: people decide for themselves. With required_for, people of the listed roles need one, and all others decide for themselves.',
    examples: [{ required_for: ['owner', 'admin'] }],
  })
