import { z } from 'zod'
import { externalId, line, lineOrEmpty, metadata, reference, timestamp, webUrl } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { typedEmail } from './emailField.ts'
import { reasonField, words } from './studentFields.ts'

/** What a member is made of. Who sees the directory sees of others what everybody sees here. */
export const memberSchema = z.object({
  display_name: line(60).meta({ description: 'What the community calls the person.', example: 'Wren' }),
  headline: lineOrEmpty(120).nullable().meta({ description: 'One line below the name.', example: 'Throws bowls' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  links: z
    .array(
      z.object({
        label: line(40).meta({ description: 'Words of the link.', example: 'My shelf' }),
        url: webUrl(['https']).meta({ description: 'Where it leads.', example: 'https://wren.example/shelf' }),
      }),
    )
    .max(8)
    .meta({ description: 'Elsewhere on the web.', example: [] }),
  joined_at: timestamp().nullable().meta({ description: 'When the person joined.', example: '2026-03-01T09:30:00.000Z' }),
  email: typedEmail().meta({ description: 'Address of the person, unique in the school.', example: 'wren@example.org', view: 'own' }),
  bio: z.string().max(1000).nullable().meta({ description: 'About the person.', example: null, view: 'own' }),
  status: z.enum(['invited', 'active', 'blocked', 'left', 'erased']).meta({
    description:
      'Invited until the first sign-in. Who is blocked can sign in and learn, and takes no part in the community. Who left can come back.',
    example: 'active',
    view: 'own',
  }),
  status_reason: reasonField,
  tier: z
    .enum(['free', 'paid', 'comped'])
    .meta({ description: 'Whether the person pays: follows from their subscriptions.', example: 'free', view: 'own' }),
  plans: z
    .array(
      z.object({
        id: reference('mpl', 'Id of the plan.'),
        name: z.string().meta({ description: 'Name of the plan.', example: 'Workbench' }),
        slug: z.string().meta({ description: 'Readable key of the plan.', example: 'workbench' }),
        until: timestamp().nullable().meta({ description: 'When it ends; null where it goes on.', example: null }),
      }),
    )
    .meta({ description: 'Membership plans that the person has now.', example: [], view: 'own' }),
  roles: z
    .array(z.enum(['owner', 'admin', 'lecturer', 'learner']))
    .meta({ description: 'What the person is to the school.', example: ['learner'], view: 'staff' }),
  labels: words('Words of the school about the member.', ['founder']),
  note: z.string().max(2000).nullable().meta({ description: 'What the school notes.', example: null, view: 'staff' }),
  directory_visible: z.boolean().meta({ description: 'Whether the directory shows the person.', example: true, view: 'own' }),
  student_id: reference('std', 'The same person as a student.')
    .nullable()
    .meta({ description: 'The same person as a student.', idPrefix: 'std', example: null, view: 'own' }),
  last_seen_at: timestamp().nullable().meta({ description: 'When the person was last there.', example: null, view: 'own' }),
  comments_count: z.int().meta({ description: 'Comments of theirs.', example: 3, view: 'own' }),
  rsvps_count: z.int().meta({ description: 'Events that they answered.', example: 1, view: 'own' }),
  external_id: externalId(),
  metadata: metadata(),
})

const labels = (description: string) =>
  z
    .array(line(40))
    .max(50)
    .default([])
    .meta({ description, example: ['founder'] })

/** Words for many members at once. */
export const labelling = z.object({
  member_ids: z.array(reference('mbr', 'Id of a member.')).min(1).max(100).meta({ description: 'Whom it is about.', example: [] }),
  add: labels('Words that they get.'),
  remove: labels('Words that they lose.'),
})
