import { z } from 'zod'
import { membershipFrom, membershipOf } from '../domain/membership.ts'
import { checkPlaceAndLanguage } from '../domain/schoolRules.ts'
import { nothing, type Rule } from '../kit/expressions.ts'
import { reference, timestamp } from '../kit/fields.ts'
import { defineResource } from '../kit/resource.ts'

const byEmail = (description: string) => z.enum(['email', 'none']).default('email').meta({ description, example: 'email' })

const isMine: Rule<'account'> = (account, me) => account('id', '=', me.accountId)

/** The login of the person who calls. */
export const account = defineResource({
  name: 'account',
  object: 'account',
  idPrefix: 'acc',
  table: 'account',
  about: "The signed-in person's own login in this school. Logins are not shared between schools.",
  scopes: {
    read: 'See your account: name, e-mail address, language and notification settings',
    write: 'Change your account, and end what you allowed to other apps',
  },
  singleton: true,
  schema: z.object({
    email: z.email().meta({ description: 'Address that the person signs in with.', example: 'learner001@example.org' }),
    pending_email: z.email().nullable().meta({ description: 'A new address that is not confirmed yet.', example: null }),
    email_verified: z.boolean().meta({ description: 'Whether the address is confirmed.', example: true }),
    name: z.string().min(1).max(120).meta({ description: 'Full name.', example: 'Wren Applegarth' }),
    given_name: z.string().max(60).nullable().meta({ description: 'Given name.', example: 'Wren' }),
    family_name: z.string().max(60).nullable().meta({ description: 'Family name.', example: 'Applegarth' }),
    avatar: z
      .object({ url: z.url().meta({ description: 'Address of the picture.', example: 'https://school.example/files/wren.png' }) })
      .nullable()
      .meta({ description: 'Picture of the person.', example: null }),
    locale: z.string().max(35).nullable().meta({ description: 'Preferred language (BCP 47).', example: 'en' }),
    time_zone: z.string().nullable().meta({ description: 'IANA name.', example: 'Europe/Berlin' }),
    notification_preferences: z
      .object({
        product_updates: byEmail('News of the school.'),
        course_activity: byEmail('New lessons and results.'),
        comment_replies: byEmail('Answers to comments.'),
        event_reminders: byEmail('Events that are near.'),
        billing: z.literal('email').default('email').meta({ description: 'Receipts; cannot be turned off.', example: 'email' }),
      })
      .meta({ description: 'What the person is written about.', example: { product_updates: 'none' } }),
    membership: z
      .object({
        roles: z.array(z.string()).meta({ description: 'What the person is to the school.', example: ['learner'] }),
        student_id: reference('std', 'Id as a student.')
          .nullable()
          .meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
        member_id: reference('mbr', 'Id as a member.').nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
        lecturer_id: reference('lec', 'Id as a lecturer.')
          .nullable()
          .meta({ description: 'Id as a lecturer.', idPrefix: 'lec', example: null }),
      })
      .meta({ description: 'What the person is in this school.', example: { roles: ['learner'] } }),
    last_sign_in_at: timestamp().nullable().meta({ description: 'When the person last signed in.', example: '2026-03-01T09:30:00.000Z' }),
    deletion_scheduled_at: timestamp().nullable().meta({ description: 'When the account will be deleted.', example: null }),
  }),
  derived: {
    avatar: { from: ['picture'], of: ({ picture }) => (picture === null ? null : { url: picture }) },
    notification_preferences: {
      from: ['preferences'],
      of: ({ preferences }) => preferences as object,
      write: (preferences) => ({ preferences: JSON.stringify(preferences) }),
    },
    membership: { select: membershipOf, of: membershipFrom },
  },
  writable: ['name', 'given_name', 'family_name', 'locale', 'time_zone', 'notification_preferences'],
  visibility: { anonymous: nothing, learner: isMine, lecturer: isMine, staff: isMine },
  views: { own: isMine },
  operations: { get: 'read', update: { scope: 'write', check: checkPlaceAndLanguage } },
})
