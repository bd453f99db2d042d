import { accountPaths } from '../../base/accountPaths.ts'
import type { Account } from '../../school/apiRows.ts'
import { isMarketing, optionalPreferences } from '../../school/notifications/notificationPreferences.ts'
import { plainText } from '../plainText.ts'
import type { OwnPage } from './ownPage.ts'

/** The e-mails that cannot be turned off. */
const required = ['billing', 'security'] as const

/** The page on which people choose the e-mails that they receive. */
export const notificationsPage: OwnPage<{ preferences: Account['notification_preferences']; isMarketingRefused: boolean }> = {
  path: accountPaths.notifications,
  notices: { saved: 'notifications.done_saved' },
  async read({ perform }) {
    const { notification_preferences: preferences, membership } = (await perform('getAccount')).body
    const { student_id: id } = membership
    const consent = id === null ? null : (await perform('getStudent', { id_or_me: id })).body.marketing_consent
    return { preferences, isMarketingRefused: consent?.granted === false }
  },
  build: ({ texts, person, form }, { preferences, isMarketingRefused }) => ({
    title: 'notifications.title',
    heading: texts.text('notifications.heading'),
    introduction: texts.parts('notifications.introduction', { email: plainText(person.who.email, 254) }),
    sections: [
      {
        id: 'choices',
        heading: texts.text('notifications.list'),
        forms: [
          form('', {
            boxes: [
              ...optionalPreferences.map((name) => ({
                ...{ id: name, name, label: texts.text(`notifications.${name}`), isTicked: preferences[name] !== 'none' },
                ...(isMarketingRefused &&
                  isMarketing(name) && { isTicked: false, isDisabled: true, hint: texts.text('notifications.marketing_refused') }),
              })),
              ...required.map((name) => ({
                ...{ id: name, name, label: texts.text(`notifications.${name}`) },
                ...{ isTicked: true, isDisabled: true, hint: texts.text('notifications.required_hint') },
              })),
            ],
            submit: texts.text('notifications.save'),
            kind: 'main',
          }),
        ],
      },
    ],
  }),
  forms: {
    '': {
      operation: 'updateAccount',
      body: (form) => ({
        notification_preferences: Object.fromEntries(optionalPreferences.map((name) => [name, form.get(name) === null ? 'none' : 'email'])),
      }),
      done: 'saved',
    },
  },
}
