import { z } from 'zod'
import { externalId, line, lineOrEmpty, metadata, money, reference, timestamp } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { typedEmail } from './emailField.ts'

/** Words that the school puts to a person. */
export const words = (description: string, example: string[]) => z.array(line(40)).max(50).meta({ description, example, view: 'staff' })

/** Why a person is in their state. */
export const reasonField = z.string().max(500).nullable().meta({ description: 'Why, as the staff said.', example: null, view: 'staff' })

/** What staff say about a change of state. */
export const reasonInput = z.object({
  reason: z.string().trim().max(500).nullable().default(null).meta({ description: 'Why; for the staff.', example: 'Asked for a break' }),
})

/** Whether a letter goes out. */
export const send_invite = z.boolean().meta({
  description: 'Whether the person is invited by mail to make an account; until then they are invited.',
  example: false,
  createOnly: true,
})

/** Whether what the person pays for ends along. */
export const cancelParameter = z.object({
  cancel_subscriptions: z
    .boolean()
    .default(false)
    .meta({ description: 'End running subscriptions along. Without it they keep the person.' }),
})

/** What a student is made of. Lecturers see no more of their learners than what everybody sees here. */
export const studentSchema = z.object({
  email: typedEmail().meta({ description: 'Address of the person, unique in the school.', example: 'wren@example.org' }),
  name: line(120).meta({ description: 'Full name.', example: 'Wren Applegarth' }),
  given_name: lineOrEmpty(60).nullable().meta({ description: 'Given name.', example: 'Wren' }),
  family_name: lineOrEmpty(60).nullable().meta({ description: 'Family name.', example: 'Applegarth' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  locale: z
    .string()
    .max(35)
    .nullable()
    .meta({ description: 'Language of the person (BCP 47); null for that of the school.', example: 'en' }),
  time_zone: z.string().max(60).nullable().meta({ description: 'IANA name; null for that of the school.', example: 'Europe/Berlin' }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two capital letters')
    .nullable()
    .meta({ description: 'ISO 3166-1 code.', example: 'DE', view: 'own' }),
  phone: z
    .string()
    .regex(/^\+[1-9]\d{1,14}$/, 'must be + and 2 to 15 digits')
    .nullable()
    .meta({ description: 'Number of the person (E.164).', example: '+4930123456', view: 'own' }),
  status: z.enum(['invited', 'active', 'suspended', 'erased']).meta({
    description:
      'Invited until the first sign-in. Who is suspended can sign in and see their results, and opens no lesson. Of an erased one nothing is left but the numbers.',
    example: 'active',
  }),
  status_reason: reasonField,
  tags: words('Words of the school about the student.', ['evening-class']),
  note: z.string().max(2000).nullable().meta({ description: 'What the school notes.', example: null, view: 'staff' }),
  custom_fields: z
    .record(
      z.string().regex(/^[a-z0-9_]{1,40}$/, 'must be 1 to 40 of a-z, 0-9 and _'),
      z.union([z.string().max(500), z.number(), z.boolean()]),
    )
    .refine((members) => Object.keys(members).length <= 30, 'must have at most 30 members')
    .meta({ description: 'Facts of your own about the student, by name.', example: { shoe_size: 41 }, view: 'staff' }),
  marketing_consent: z
    .object({
      granted: z.boolean().meta({ description: 'Whether the school may advertise.', example: false }),
      at: timestamp().meta({ description: 'When the person said so.', example: '2026-03-01T09:30:00.000Z', readOnly: true }),
    })
    .nullable()
    .meta({ description: 'What the person said of advertising; null where they were not asked.', example: null, view: 'own' }),
  member_id: reference('mbr', 'The same person as a member.')
    .nullable()
    .meta({ description: 'The same person as a member.', idPrefix: 'mbr', example: null }),
  has_account: z.boolean().meta({ description: 'Whether the person has a login.', example: true }),
  enrollments_count: z.int().meta({ description: 'Courses that the person ever took.', example: 3 }),
  active_enrollments_count: z.int().meta({ description: 'Courses that are open to them now.', example: 2 }),
  completed_courses_count: z.int().meta({ description: 'Courses that they completed.', example: 1 }),
  lifetime_spend: money('Paid less refunded, in the currency of the school.').meta({
    description: 'Paid less refunded, in the currency of the school.',
    example: { amount: 17_800, currency: 'EUR' },
    view: 'staff',
  }),
  last_active_at: timestamp().nullable().meta({ description: 'When the person was last there.', example: '2026-03-01T09:30:00.000Z' }),
  external_id: externalId(),
  metadata: metadata(),
})
