import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { fromJson, nothing, type Rule } from '../../engine/declare/expressions.ts'
import { image, imageField, line, lineOrEmpty, reference, timestamp } from '../../engine/declare/fields.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import { languageTag, timeZone } from '../../engine/declare/typedTexts.ts'
import { schemaName } from '../../engine/output/publishedSchemas.ts'
import { hasSecondFactor } from '../../identity/factors/hasSecondFactor.ts'
import { isMarketing, notificationPreferences, type OptionalPreference } from '../notifications/notificationPreferences.ts'
import { emailAddress } from '../students/studentFields.ts'
import { activityReads, undoActions } from './accountActivity.ts'
import { restoreAccount, scheduleDeletion } from './accountDeletion.ts'
import { authorization, calendarFeed, ownId, session } from './accountFields.ts'
import { contractRead } from './appContract.ts'
import { readCalendar, renewCalendar } from './calendarFeed.ts'
import { membershipFrom, membershipOf } from './membership.ts'
import { changeEmail, endSession, exportAccount, listAuthorizations, listSessions, revokeAuthorization } from './ownAccount.ts'
import { ownPreferences } from './ownPreferences.ts'
import { personalRowsOf, personalSections, rowSchema } from './personalData.ts'
import { proposalActions, proposalReads } from './proposals.ts'

const byEmail = (name: OptionalPreference) =>
  z
    .enum(['email', 'none'])
    .meta({ component: 'NotificationChannel' })
    .default(isMarketing(name) ? 'none' : 'email')
    .meta({ description: notificationPreferences[name].about, example: 'email' })

const isMine: Rule<'account'> = (account, me) => account('id', '=', me.accountId)

export const accountSchema = z.object({
  email: emailAddress().meta({ description: 'Address that the person signs in with.', example: 'learner001@example.org' }),
  pending_email: emailAddress().nullable().meta({ description: 'A new address that is not confirmed yet.', example: null }),
  email_verified: z.boolean().meta({ description: 'True if the address is confirmed.', example: true }),
  name: line(120).meta({ description: 'Full name.', example: 'Wren Applegarth' }),
  given_name: lineOrEmpty(60).nullable().meta({ description: 'Given name.', example: 'Wren' }),
  family_name: lineOrEmpty(60).nullable().meta({ description: 'Family name.', example: 'Applegarth' }),
  avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
  locale: languageTag().nullable().meta({ description: 'Preferred language (BCP 47).', example: 'en' }),
  time_zone: timeZone().nullable().meta({ description: 'IANA name.', example: 'Europe/Berlin' }),
  notification_preferences: z
    .object({
      product_updates: byEmail('product_updates'),
      course_activity: byEmail('course_activity'),
      comment_replies: byEmail('comment_replies'),
      event_reminders: byEmail('event_reminders'),
      billing: z.literal('email').default('email').meta({ description: notificationPreferences.billing.about, example: 'email' }),
    })
    .meta({ description: 'E-mails that the person receives.', example: { product_updates: 'none' }, component: 'NotificationPreferences' }),
  membership: z
    .object({
      roles: z.array(z.string()).meta({ description: 'Roles of the person in the school.', example: ['learner'] }),
      student_id: reference('std', 'Id as a student.').nullable().meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
      member_id: reference('mbr', 'Id as a member.').nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
      lecturer_id: reference('lec', 'Id as a lecturer.')
        .nullable()
        .meta({ description: 'Id as a lecturer.', idPrefix: 'lec', example: null }),
    })
    .meta({ description: 'Membership of the person in this school.', example: { roles: ['learner'] } }),
  two_factor_enabled: z.boolean().meta({
    description: 'True if the account has a passkey or an authenticator app.',
    example: false,
  }),
  last_sign_in_at: timestamp().nullable().meta({ description: 'When the person last signed in.', example: '2026-03-01T09:30:00.000Z' }),
  deletion_scheduled_at: timestamp().nullable().meta({ description: 'When the account will be deleted.', example: null }),
})

const accountExport = z.object({
  object: z.literal('account_export').meta({ description: 'Type of the object.' }),
  account: accountSchema.omit({ avatar: true, two_factor_enabled: true }).meta({ description: 'The account.', example: {} }),
  authorizations: z.array(authorization).meta({ description: 'Authorizations of apps.', example: [] }),
  sessions: z.array(session).meta({ description: 'Browser sessions.', example: [] }),
  ...Object.fromEntries(
    personalSections.map((section) => [
      section.name,
      z.array(rowSchema(section)).meta(
        'resource' in section
          ? {
              description: `${section.about} With the fields of ${schemaName(section.resource.object)}.`,
              example: [],
              isSummarized: true,
            }
          : { description: section.about, example: [] },
      ),
    ]),
  ),
})

export const account = defineResource({
  name: 'account',
  object: 'account',
  idPrefix: 'acc',
  table: 'account',
  about: "The signed-in person's own login in this school. Logins are not shared between schools.",
  undo: 'It is about the login of a person: change it back.',
  scopes: {
    read: 'See your profile, settings, sign-ins and connected apps, and download your data',
    write:
      'Change your account: your profile, settings and e-mail address. It can also see and replace the address of your calendar, remove connected apps, end your sign-ins, and start the deletion of your account',
  },
  singleton: true,
  schema: accountSchema,
  derived: {
    avatar: imageField('account', 'avatar'),
    two_factor_enabled: { select: hasSecondFactor, of: Boolean },
    notification_preferences: {
      select: ownPreferences,
      of: fromJson,
      write: (preferences) => ({ preferences: JSON.stringify(preferences) }),
    },
    membership: { select: membershipOf, of: membershipFrom },
  },
  writable: ['name', 'given_name', 'family_name', 'avatar', 'locale', 'time_zone', 'notification_preferences'],
  visibility: { anonymous: nothing, learner: isMine, lecturer: isMine, staff: isMine },
  views: { own: isMine },
  operations: {
    get: 'read',
    update: { scope: 'write', asksFirst: 'irreversible' },
    remove: { scope: 'write', asksFirst: 'irreversible', errors: ['last_owner', 'active_subscription'], instead: scheduleDeletion },
  },
  reads: {
    authorizations: {
      scope: 'read',
      id: 'listAuthorizations',
      summary: 'List the apps that can access your account',
      output: listOf(authorization, 'Authorizations, newest first.'),
      pagedBy: 'id',
      run: (reading, { id }) => listAuthorizations(reading, reading.school, id),
    },
    ...contractRead,
    ...activityReads,
    ...proposalReads,
    sessions: {
      scope: 'read',
      id: 'listSessions',
      summary: 'List the browsers in which you are signed in',
      output: listOf(session, 'Browser sessions, latest sign-in first.'),
      pagedBy: 'id',
      run: (reading, { id }) => listSessions(reading, id),
    },
    calendar: {
      // The address lets everybody who has it read the calendar, so reading it is not for apps that may only read.
      scope: 'write',
      id: 'getCalendar',
      summary: 'Get the secret address of your calendar',
      output: calendarFeed,
      run: (reading, { id }) => readCalendar(reading, id),
    },
    export: {
      scope: 'read',
      id: 'exportAccount',
      limit: 'bulk',
      summary: 'Export everything that is stored about you',
      output: accountExport,
      run: (reading, row) => exportAccount(reading, row),
      sections: personalRowsOf,
    },
  },
  actions: {
    email: defineAction('account', {
      scope: 'write',
      id: 'changeEmail',
      asksFirst: 'access',
      risk: 'takes_over',
      status: 202,
      limit: 'guess',
      summary: 'Change the address that you sign in with',
      input: z.object({
        email: z
          .string()
          .max(254)
          .meta({ description: 'The new address. A link to confirm it is sent there.', example: 'wren@example.org' }),
      }),
      run: (writing, row, { email }) => changeEmail(writing, row, email),
    }),
    'email/resend': {
      scope: 'write',
      errors: ['invalid_state'],
      id: 'resendEmailChange',
      undo: 'It sends the link again.',
      risk: 'takes_over',
      follows: 'changeEmail',
      status: 202,
      limit: 'guess',
      summary: 'Send the link to your new address again',
      run: (writing, row) => changeEmail(writing, row, row.pending_email),
    },
    'calendar/renew': {
      scope: 'write',
      id: 'renewCalendar',
      asksFirst: 'access',
      status: 204,
      limit: 'guess',
      summary: 'Create the secret address of your calendar, or replace it',
      async perform(writing, { id }) {
        await renewCalendar(writing, id)
        return {}
      },
    },
    restore: {
      scope: 'write',
      asksFirst: 'access',
      summary: 'Cancel the scheduled deletion of your account',
      follows: 'deleteAccount',
      run: async (writing, row) => restoreAccount(writing, row),
    },
    revoke_authorization: defineAction('account', {
      scope: 'write',
      id: 'revokeAuthorization',
      asksFirst: 'access',
      at: 'authorizations/{id}',
      method: 'DELETE',
      status: 204,
      summary: 'Revoke the access of an app',
      parameters: z.object({ id: ownId('aut', 'Id of the authorization.') }),
      perform: (writing, row) => revokeAuthorization(writing, { accountId: row.id, id: String(writing.parameters.get('id')) }),
    }),
    ...undoActions,
    ...proposalActions,
    end_session: defineAction('account', {
      scope: 'write',
      id: 'endSession',
      asksFirst: 'access',
      at: 'sessions/{id}',
      method: 'DELETE',
      status: 204,
      summary: 'Sign out in one browser',
      parameters: z.object({ id: ownId('ses', 'Id of the session.') }),
      perform: ({ writer, externalServices, parameters }, row) =>
        endSession(writer, externalServices, { accountId: row.id, id: String(parameters.get('id')) }),
    }),
  },
})
