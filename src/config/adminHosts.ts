import { z } from 'zod'
import { isHost } from './addressForms.ts'

export const adminHosts = z
  .string()
  .refine((names) => names.split(',').every(isHost))
  .optional()
  .meta({
    title: 'host names, separated by commas',
    description:
      'Names by which other systems call ADMIN_PORT. Not needed for IP addresses, names without a dot, and names that end with .svc, .local, .internal, .localhost or .home.arpa.',
    examples: ['schoolgate.platform.example.com'],
  })
