import { z } from 'zod'
import { roles } from '../../base/caller.ts'
import { externalId, image, line, lineOrEmpty, metadata, reference, timestamp, webUrl } from '../../engine/declare/fields.ts'
import { reasonField, typedEmail, words } from '../students/studentFields.ts'

/** The fields of a member. The directory shows those without a restricted view. */
export const memberSchema = z.object({
  display_name: line(60).meta({ description: 'Name in the community.', example: 'Wren' }),
  headline: lineOrEmpty(120).nullable().meta({ description: 'One line below the name.', example: 'Throws bowls' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  links: z
    .array(
      z.object({
        label: line(40).meta({ description: 'Text of the link.', example: 'My shelf' }),
        url: webUrl(['https']).meta({ description: 'Target of the link.', example: 'https://wren.example/shelf' }),
      }),
    )
    .max(8)
    .meta({ description: 'Links to other pages of the person.', example: [] }),
  joined_at: timestamp().nullable().meta({ description: 'When the person joined.', example: '2026-03-01T09:30:00.000Z' }),
  email: typedEmail().meta({ description: 'E-mail address, unique in the school.', example: 'wren.a@example.org', view: 'own' }),
  bio: z.string().max(1000).nullable().meta({ description: 'About the person.', example: null, view: 'own' }),
  status: z.enum(['invited', 'active', 'blocked', 'left', 'erased']).meta({ component: 'MemberStatus' }).meta({
    description:
      'A member is invited until the first sign-in. A blocked member can sign in and learn, but cannot take part in the community. A member who left can join again.',
    example: 'active',
    view: 'own',
  }),
  status_reason: reasonField,
  tier: z
    .enum(['free', 'paid', 'comped'])
    .meta({ component: 'MemberTier' })
    .meta({ description: 'Tier of the member; determined by the subscriptions.', example: 'free', view: 'own' }),
  plans: z
    .array(
      z.object({
        id: reference('mpl', 'Id of the plan.'),
        name: z.string().meta({ description: 'Name of the plan.', example: 'Workbench' }),
        slug: z.string().meta({ description: 'Readable key of the plan.', example: 'workbench' }),
        until: timestamp().nullable().meta({ description: 'When the plan ends; null if it continues.', example: null }),
      }),
    )
    .meta({ description: 'Current membership plans of the member.', example: [], view: 'own' }),
  roles: z
    .array(z.enum(roles).meta({ component: 'PersonRole' }))
    .meta({ description: 'Roles of the person in the school.', example: ['learner'], view: 'staff' }),
  labels: words('Labels that the school gave the member.', ['founder']),
  note: z.string().max(2000).nullable().meta({ description: 'Internal note of the staff.', example: null, view: 'staff' }),
  directory_visible: z.boolean().meta({ description: 'True if the directory lists the member.', example: true, view: 'own' }),
  student_id: reference('std', 'The same person as a student.')
    .nullable()
    .meta({ description: 'The same person as a student.', idPrefix: 'std', example: null, view: 'own' }),
  last_seen_at: timestamp().nullable().meta({ description: 'When the member was last active.', example: null, view: 'own' }),
  comments_count: z
    .int()
    .meta({ description: 'Number of comments that the person has written, in every status.', example: 3, view: 'own' }),
  rsvps_count: z.int().meta({ description: 'Number of RSVPs.', example: 1, view: 'own' }),
  external_id: externalId(),
  metadata: metadata(),
})

const labels = (description: string, example: string) =>
  z
    .array(line(40))
    .max(50)
    .default([])
    .meta({ description, example: [example] })

/** The body of a request that labels members. */
export const labelling = {
  member: 'member_ids',
  item: reference('mbr', 'Id of a member.'),
  about: { description: 'Members to change.', example: [] },
  options: { add: labels('Labels to add.', 'founder'), remove: labels('Labels to remove.', 'newcomer') },
  keys: [],
}
