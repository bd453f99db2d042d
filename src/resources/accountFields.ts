import { z } from 'zod'
import { timestamp } from '../framework/declare/fields.ts'

export const ownId = (prefix: string, description: string) =>
  z
    .string()
    .max(60)
    .meta({ description, example: `${prefix}_01jgwejj00e6srgkpqm2sqf05m` })

export const authorization = z
  .object({
    id: ownId('aut', 'Id of the authorization.'),
    object: z.literal('authorization').meta({ description: 'Type of the object.' }),
    client: z
      .object({
        client_id: z.string().meta({ description: 'Id of the app.', example: 'k2Jx' }),
        client_name: z
          .string()
          .nullable()
          .meta({ description: 'Name that the app registered. It is not verified.', example: 'Study helper' }),
      })
      .meta({ description: 'The app.', example: {} }),
    scopes: z.array(z.string()).meta({ description: 'Granted scopes.', example: ['openid', 'profile'] }),
    granted_at: timestamp().meta({ description: 'When the person granted access.', example: '2026-03-01T09:30:00.000Z' }),
    last_used_at: timestamp().nullable().meta({ description: 'When the app last used it.', example: null }),
  })
  .meta({ component: 'Authorization' })

export const session = z
  .object({
    id: ownId('ses', 'Id of the session.'),
    object: z.literal('session').meta({ description: 'Type of the object.' }),
    signed_in_at: timestamp().meta({ description: 'When the person signed in.', example: '2026-03-01T09:30:00.000Z' }),
    expires_at: timestamp().meta({ description: 'When the session expires.', example: '2026-03-15T09:30:00.000Z' }),
    browser: z.string().nullable().meta({ description: 'Browser of the sign-in as it names itself, if known.', example: 'Firefox' }),
    system: z
      .string()
      .nullable()
      .meta({ description: 'Operating system of the sign-in as the browser names it, if known.', example: 'Windows' }),
    network: z
      .string()
      .nullable()
      .meta({ description: 'Network of the sign-in (IPv4 /24 or IPv6 /64), if known.', example: '192.0.2.0/24' }),
  })
  .meta({ component: 'Session' })

export const calendarFeed = z
  .object({
    object: z.literal('calendar_feed').meta({ description: 'Type of the object.' }),
    url: z.string().nullable().meta({
      description: 'Secret address of the calendar (RFC 5545), which works without signing in; null until it is created.',
      example: null,
    }),
    renewed_at: timestamp().nullable().meta({ description: 'When the address was created.', example: null }),
  })
  .meta({ component: 'CalendarFeed' })
