import { z } from 'zod'

/** Schema of the rule about second factors. */
export const secondStep = z
  .enum(['off', 'optional'])
  .default('optional')
  .meta({
    description:
      'Passkeys and authenticator apps. off: nobody can set them up, and sign-ins do not ask for them. optional: people decide for themselves.',
    examples: ['off'],
  })
