import { z } from 'zod'
import { fromPublicId, toPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, Problem } from '../../base/problem.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import { line, reference, slug, text, timestamp } from '../../engine/declare/fields.ts'
import { schemaName } from '../../engine/output/publishedSchemas.ts'
import { addComment, maxCommentLength } from '../comments/addComment.ts'
import { subjects } from '../comments/commentAccess.ts'
import { releaseSoldSeats, reserveSeats } from '../events/reserveSeats.ts'
import { requireFormSlug, submitForm } from '../forms/submitForm.ts'
import { pastTimeErrors } from '../pastTimes.ts'
import { person } from './platformFields.ts'
import { definePlatformOperation } from './runReport.ts'

const id = (prefix: string, description: string) =>
  z.string().meta({ description, example: toPublicId(prefix, '01942bc1-1a80-7000-8000-000000000001') })
const objectNamed = <Name extends string>(name: Name) => z.literal(name).meta({ description: 'The type of the object.' })

const rsvpOutput = {
  name: 'Rsvp',
  schema: z.object({
    object: objectNamed('rsvp'),
    id: id('rsv', 'Id of the RSVP.'),
    event_id: id('evt', 'Id of the event.'),
    status: z.enum(['going', 'canceled']).meta({ description: 'going: the seats are taken.', example: 'going' }),
  }),
}

/** Comments, form submissions and seats that other systems of the school report. */
export const communityOperations = [
  definePlatformOperation({
    id: 'createComment',
    tag: 'comments',
    path: '/comments',
    summary: 'Add a comment',
    description: 'Adds a comment that a person wrote on the site of the school. The author becomes a member.',
    successStatus: 201,
    event: 'platform.comment_created',
    input: z.object({
      subject: z
        .object({
          type: z.enum(keysOf(subjects)).meta({ description: 'Type of the subject.', example: 'post' }),
          id: z.string().min(1).max(60).meta({ description: 'Id of the subject.', example: 'pst_01jgwejj00e6srgkpqm2sqf05m' }),
        })
        .meta({ description: 'What the comment is about. It must be published and take comments.' }),
      author: person('The author.'),
      body: text(maxCommentLength, z.string().trim()).meta({ description: 'The text, in Markdown.', example: 'Which clay was that?' }),
      parent_id: reference('cmt', 'The comment that it replies to. Replies have one level.').optional(),
      status: z.enum(['published', 'pending']).default('published').meta({
        description: 'Only moderators see a pending comment. The rules of the school can make a comment pending.',
        example: 'published',
      }),
      spam: z.boolean().default(false).meta({ description: 'True if you classified it as spam: only moderators see it.', example: false }),
      created_at: timestamp().optional().meta({
        description:
          'When it was written, for a comment that moves here from another site: nobody is notified of it, and it is not held because of its author. Default: now.',
        example: '2019-05-04T09:30:00.000Z',
      }),
    }),
    output: {
      name: schemaName('comment'),
      schema: z.object({
        object: objectNamed('comment'),
        id: id('cmt', 'Id of the comment.'),
        status: z.enum(['published', 'pending', 'hidden']).meta({ description: 'Status of the comment.', example: 'published' }),
      }),
    },
    async run({ writer, school, now }, { subject, author, body, parent_id, status, spam, created_at }) {
      const [wrongTime] = pastTimeErrors('created_at', created_at, now)
      if (wrongTime) throw new Problem('validation_failed', { details: [wrongTime] })
      const subjectId = fromPublicId(subjects[subject.type], subject.id)
      if (subjectId === undefined) {
        const error = fieldError('subject.id', 'invalid_reference', `must be the id of a ${subject.type}`)
        throw new Problem('invalid_reference', { details: [error] })
      }
      const added = await addComment(writer, {
        schoolId: school.id,
        now,
        subject: { type: subject.type, id: subjectId },
        author,
        body,
        parentId: parent_id && uuidOf('cmt', parent_id),
        status,
        spam,
        writtenAt: created_at === undefined ? undefined : new Date(created_at),
      })
      return { object: 'comment', id: toPublicId('cmt', added.id), status: added.status }
    },
  }),
  definePlatformOperation({
    id: 'createFormSubmission',
    tag: 'form_submissions',
    path: '/form_submissions',
    summary: 'Submit a form',
    description: 'Stores the answers to a form that is open. Every wrong answer is named.',
    successStatus: 201,
    event: 'platform.form_submitted',
    input: z.object({
      form: slug().meta({ description: 'Slug of the form.', example: 'ask-the-school' }),
      answers: z
        .record(z.string().max(40), z.union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(500)).max(100)]))
        .meta({ description: 'The answers, by the key of the question.', example: { question: 'When is the next firing?' } }),
      contact: z
        .object({
          email: z.string().max(254).optional().meta({ description: 'E-mail address.', example: 'wren@example.org' }),
          name: line(120).optional().meta({ description: 'Name.', example: 'Wren Tallow' }),
        })
        .optional()
        .meta({ description: 'The person, if the answers do not contain them.' }),
      source_path: line(500).optional().meta({ description: 'Page from which it was submitted.', example: '/contact' }),
      locale: line(35).optional().meta({ description: 'Language of the page.', example: 'en' }),
      consent_text: text(2000, z.string().trim())
        .optional()
        .meta({ description: 'The text that the person agreed to, in addition to the questions.', example: 'You may keep my answers.' }),
      spam: z.boolean().default(false).meta({ description: 'True if you classified it as spam.', example: false }),
    }),
    output: {
      name: 'FormSubmission',
      schema: z.object({
        object: objectNamed('form_submission'),
        id: id('fsb', 'Id of the submission.'),
        form_version: z.int().meta({ description: 'Version of the form.', example: 2 }),
      }),
    },
    async run({ writer, school, now }, { form, answers, contact, source_path, locale, spam, consent_text }) {
      const formId = await requireFormSlug(writer, form)
      const stored = await submitForm(writer, {
        schoolId: school.id,
        now,
        formId,
        answers,
        contact,
        sourcePath: source_path,
        locale,
        spam,
        consentText: consent_text,
      })
      return { object: 'form_submission', id: toPublicId('fsb', stored.id), form_version: stored.formVersion }
    },
  }),
  definePlatformOperation({
    id: 'reserveSeats',
    tag: 'rsvps',
    path: '/rsvps',
    summary: 'Report seats that were sold elsewhere',
    description:
      'Takes seats of a published event, before people on its waitlist. A second report of the same person replaces the number of seats.',
    successStatus: 201,
    event: 'platform.seats_reserved',
    input: z.object({
      event_id: reference('evt', 'Id of the event.'),
      attendee: person('The person who comes.'),
      guests: z.int().min(0).max(20).default(0).meta({ description: 'Seats in addition to that of the person.', example: 1 }),
      note: line(500).optional().meta({ description: 'Note for the staff.', example: 'Ticket 4711' }),
    }),
    output: rsvpOutput,
    async run(change, { event_id, ...sold }) {
      const rsvpId = await reserveSeats(change, { ...sold, eventId: uuidOf('evt', event_id) })
      return { object: 'rsvp', id: toPublicId('rsv', rsvpId), event_id, status: 'going' }
    },
  }),
  definePlatformOperation({
    id: 'releaseSeats',
    tag: 'rsvps',
    path: '/rsvps/{rsvp}/cancel',
    parameter: {
      name: 'rsvp',
      description: 'Id of the RSVP.',
      example: toPublicId('rsv', '01942bc1-1a80-7000-8000-000000000001'),
      form: /^rsv_[0-7][0-9a-hjkmnp-tv-z]{25}$/,
    },
    summary: 'Release seats that were refunded elsewhere',
    description: 'People on the waitlist get the seats and an e-mail.',
    successStatus: 200,
    event: 'platform.seats_released',
    input: z.object({ event_id: reference('evt', 'Id of the event.') }),
    output: rsvpOutput,
    async run(change, { event_id }, rsvp) {
      await releaseSoldSeats(change, { eventId: uuidOf('evt', event_id), rsvpId: uuidOf('rsv', rsvp) })
      return { object: 'rsvp', id: rsvp, event_id, status: 'canceled' }
    },
  }),
]
