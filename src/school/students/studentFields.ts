import { z } from 'zod'
import { emailForm, normaliseEmail } from '../../base/text/emailAddress.ts'
import { plainPhone } from '../../base/text/plainPhone.ts'
import { externalId, image, line, lineOrEmpty, metadata, money, reference, timestamp } from '../../engine/declare/fields.ts'
import { languageTag, timeZone } from '../../engine/declare/typedTexts.ts'

/** Declares an e-mail address: what the sign-up accepts is accepted everywhere. */
export const emailAddress = () => z.email({ pattern: emailForm })

/** Declares an e-mail address in a request, normalised in the same way as the stored address of an account. */
export const typedEmail = () => z.string().overwrite(normalised).max(254).check(emailAddress())

/** Returns the address in its stored form, for a look-up. Other text is returned unchanged and matches no account. */
export const normalised = (typed: string): string => normaliseEmail(typed) ?? typed

export const words = (description: string, example: string[]) => z.array(line(40)).max(50).meta({ description, example, view: 'staff' })

export const reasonField = z.string().max(500).nullable().meta({ description: 'Reason given by the staff.', example: null, view: 'staff' })

export const reasonInput = z.object({
  reason: z
    .string()
    .trim()
    .max(500)
    .nullable()
    .default(null)
    .meta({ description: 'Reason; visible to staff.', example: 'Asked for a break' }),
})

export const send_invite = z.boolean().meta({
  description: 'True to send an invitation by e-mail. The state is invited until the person signs in.',
  example: false,
  createOnly: true,
})

export const cancelParameter = z.object({
  cancel_subscriptions: z
    .boolean()
    .default(false)
    .meta({ description: 'True to cancel running subscriptions. Otherwise a running subscription prevents the deletion.' }),
})

/** The fields of a student. Lecturers see only the fields without a restricted view. */
export const studentSchema = z.object({
  email: typedEmail().meta({ description: 'E-mail address of the person, unique in the school.', example: 'wren@example.org' }),
  name: line(120).meta({ description: 'Full name.', example: 'Wren Applegarth' }),
  given_name: lineOrEmpty(60).nullable().meta({ description: 'Given name.', example: 'Wren' }),
  family_name: lineOrEmpty(60).nullable().meta({ description: 'Family name.', example: 'Applegarth' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  locale: languageTag()
    .nullable()
    .meta({ description: 'Language of the person (BCP 47); null for the language of the school.', example: 'en' }),
  time_zone: timeZone().nullable().meta({ description: 'IANA time zone; null for the time zone of the school.', example: 'Europe/Berlin' }),
  country: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'must be two letters such as DE')
    .nullable()
    .meta({ description: 'Country (ISO 3166-1).', example: 'DE', view: 'own' }),
  phone: z
    .string()
    .overwrite(plainPhone)
    .regex(/^\+[1-9]\d{1,14}$/, 'must be + with the country and 2 to 15 digits, such as +49 30 123456')
    .nullable()
    .meta({ description: 'Telephone number (E.164).', example: '+4930123456', view: 'own' }),
  status: z.enum(['invited', 'active', 'suspended', 'erased']).meta({ component: 'StudentStatus' }).meta({
    description:
      'invited: until the first sign-in. suspended: the student can sign in and see results, but cannot open lessons. erased: only anonymous records remain.',
    example: 'active',
  }),
  status_reason: reasonField,
  tags: words('Tags of the student.', ['evening-class']),
  note: z.string().max(2000).nullable().meta({ description: 'Internal note.', example: null, view: 'staff' }),
  custom_fields: z
    .record(
      z.string().regex(/^[a-z0-9_]{1,40}$/, 'must have 1 to 40 characters from a-z, 0-9 and _'),
      z.union([z.string().max(500), z.number(), z.boolean()]),
    )
    .refine((members) => Object.keys(members).length <= 30, 'must have at most 30 members')
    .meta({ description: 'Custom fields of the student.', example: { shoe_size: 41 }, view: 'staff' }),
  marketing_consent: z
    .object({
      granted: z.boolean().meta({ description: 'True if the person allows marketing.', example: false }),
      at: timestamp().meta({ description: 'Time of the choice.', example: '2026-03-01T09:30:00.000Z', readOnly: true }),
    })
    .nullable()
    .meta({
      description: 'Consent to marketing; null if the person has not chosen. Refused: no news of the school (`product_updates`).',
      example: null,
      view: 'own',
    }),
  member_id: reference('mbr', 'The same person as a member.')
    .nullable()
    .meta({ description: 'The same person as a member.', idPrefix: 'mbr', example: null }),
  has_account: z.boolean().meta({ description: 'True if the person has a login.', example: true }),
  enrollments_count: z.int().meta({ description: 'Number of all enrolments of the person.', example: 3 }),
  active_enrollments_count: z.int().meta({ description: 'Number of active enrolments.', example: 2 }),
  completed_courses_count: z.int().meta({ description: 'Number of completed courses.', example: 1 }),
  lifetime_spend: money('Amount paid less refunds, in the currency of the school.').meta({
    description: 'Amount paid less refunds, in the currency of the school.',
    example: { amount: 17_800, currency: 'EUR' },
    view: 'staff',
  }),
  last_active_at: timestamp().nullable().meta({ description: 'Time of the last activity.', example: '2026-03-01T09:30:00.000Z' }),
  external_id: externalId(),
  metadata: metadata(),
})
