import { accountPaths } from '../../policy/accountPaths.ts'
import { optionalPreferences } from '../../policy/notificationPreferences.ts'
import { plainText } from '../plainText.ts'
import type { OperationPage } from './operationPages.ts'

/** The e-mails that cannot be turned off. */
const required = ['billing', 'security'] as const

/** The page on which people choose the e-mails that they receive. */
export const notificationsPage: OperationPage<Readonly<Record<string, unknown>>> = {
  path: accountPaths.notifications,
  notices: { saved: 'notifications.done_saved' },
  read: async ({ perform }) => (await perform('getAccount')).body.notification_preferences as Record<string, unknown>,
  build: ({ texts, person, form }, preferences) => ({
    title: 'notifications.title',
    heading: texts.text('notifications.heading'),
    introduction: texts.parts('notifications.introduction', { email: plainText(person.who.email, 254) }),
    sections: [
      {
        id: 'choices',
        heading: texts.text('notifications.list'),
        paragraphs: [],
        forms: [
          form('', {
            boxes: [
              ...optionalPreferences.map((name) => ({
                ...{ id: name, name, label: texts.text(`notifications.${name}`), isTicked: preferences[name] !== 'none' },
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
