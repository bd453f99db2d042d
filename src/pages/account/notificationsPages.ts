import type { Middleware } from 'koa'
import { accountPaths } from '../../policy/accountPaths.ts'
import { submittedForm } from '../formBody.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import { accountField } from './ownFields.ts'
import type { OwnPages } from './ownPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** The page on which people choose the e-mails that they receive. */
export interface NotificationsPages {
  show: Middleware
  save: Middleware
  renewCalendar: Middleware
}

/** The e-mails that can be turned off, in the order of the page. The keys are those of the API. */
const choices = {
  course_activity: 'notifications.course_activity',
  comment_replies: 'notifications.comment_replies',
  event_reminders: 'notifications.event_reminders',
  product_updates: 'notifications.product_updates',
} as const satisfies Record<string, TextKey>

const notices = { saved: 'notifications.done_saved', renewed: 'calendar.done_renewed' } as const satisfies Record<string, TextKey>

export function notificationsPages(args: AccountArguments, pages: OwnPages): NotificationsPages {
  const path = accountPaths.notifications
  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (!person) return
      const { body } = await args.perform(ctx, person.accountId, 'getAccount')
      const calendar = await args.perform(ctx, person.accountId, 'getCalendar')
      const preferences = body.notification_preferences as Record<string, unknown>
      await pages.show(ctx, person, { path, notices }, ({ texts }) => ({
        title: 'notifications.title',
        heading: texts.text('notifications.heading'),
        introduction: texts.parts('notifications.introduction', { email: plainText(person.who.email, 254) }),
        sections: [
          {
            id: 'choices',
            heading: texts.text('notifications.list'),
            paragraphs: [],
            forms: [
              {
                action: path,
                boxes: [
                  ...Object.entries(choices).map(([name, label]) => ({
                    ...{ id: name, name, label: texts.text(label), isTicked: preferences[name] !== 'none' },
                    ...(name === 'course_activity' && { hint: texts.text('notifications.course_activity_hint') }),
                  })),
                  {
                    ...{ id: 'billing', name: 'billing', label: texts.text('notifications.billing') },
                    ...{ isTicked: true, isDisabled: true, hint: texts.text('notifications.billing_hint') },
                  },
                ],
                submit: texts.text('notifications.save'),
                kind: 'main',
              },
            ],
          },
          calendarSection(texts, typeof calendar.body.url === 'string' ? calendar.body.url : undefined),
        ],
      }))
    },

    async save(ctx) {
      const form = submittedForm(ctx)
      const person = await pages.owner(ctx, path)
      if (!person) return
      const chosen = Object.keys(choices).map((name) => [name, form.get(name) === null ? 'none' : 'email'])
      await args.perform(ctx, person.accountId, 'updateAccount', { body: { notification_preferences: Object.fromEntries(chosen) } })
      seeOther(ctx, `${path}?done=saved`)
    },

    async renewCalendar(ctx) {
      const person = await pages.owner(ctx, path)
      if (!person) return
      await args.perform(ctx, person.accountId, 'renewCalendar')
      seeOther(ctx, `${path}?done=renewed`)
    },
  }
}

/** Shows the secret address of the calendar, and the button that creates or replaces it. */
function calendarSection(texts: Texts, url: string | undefined): AccountSection {
  const field = accountField({
    ...{ name: 'calendar-address', type: 'text', label: texts.text('calendar.address'), autocomplete: 'off' },
    ...{ value: url ?? '', isReadOnly: true, maxLength: 2000, hint: texts.text('calendar.address_hint') },
  })
  return {
    id: 'calendar',
    heading: texts.text('calendar.heading'),
    paragraphs: [texts.parts('calendar.explanation', {})],
    forms: [
      {
        action: accountPaths.renewCalendar,
        ...(url !== undefined && { fields: [field] }),
        submit: texts.text(url === undefined ? 'calendar.create' : 'calendar.renew'),
      },
    ],
  }
}
