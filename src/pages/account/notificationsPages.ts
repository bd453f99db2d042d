import type { Middleware } from 'koa'
import { accountPaths } from '../../policy/accountPaths.ts'
import { submittedForm } from '../formBody.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { OwnPages } from './ownPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** The page on which people choose the e-mails that they receive. */
export interface NotificationsPages {
  show: Middleware
  save: Middleware
}

/** The e-mails that can be turned off, in the order of the page. The keys are those of the API. */
const choices = {
  course_activity: 'notifications.course_activity',
  comment_replies: 'notifications.comment_replies',
  event_reminders: 'notifications.event_reminders',
  product_updates: 'notifications.product_updates',
} as const satisfies Record<string, TextKey>

const notices = { saved: 'notifications.done_saved' } as const satisfies Record<string, TextKey>

export function notificationsPages(args: AccountArguments, pages: OwnPages): NotificationsPages {
  const path = accountPaths.notifications
  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (!person) return
      const { body } = await args.perform(ctx, person.accountId, 'getAccount')
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
  }
}
