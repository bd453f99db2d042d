import { accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId, newId } from '../../base/ids.ts'
import { type Outgoing, outgoingOf } from '../../database/outbox/outgoing.ts'
import type { TextPart, Texts } from '../texts.ts'
import type { AccountForm } from './accountPage.ts'
import type { OwnPage } from './ownPage.ts'

const path = (activityId: string): string => `${accountPaths.undo}/${activityId}/emails`

/** Returns the lines about the e-mails of an activity that wait or were stopped. */
export function outgoingLines(texts: Texts, outgoing: Outgoing | undefined): TextPart[][] {
  if (!outgoing) return []
  const { emails, announcements, leaves_at: at, stopped } = outgoing
  const values = { date: at ? texts.moment(at) : '' }
  return [
    ...(emails > 0 ? [texts.countedParts('outgoing.emails', emails, values)] : []),
    ...(announcements > 0 ? [texts.countedParts('outgoing.announcements', announcements, values)] : []),
    ...(stopped > 0 ? [texts.countedParts('outgoing.stopped', stopped)] : []),
  ]
}

/** Returns the button that stops them; undefined if none waits. */
export const stopForm = (texts: Texts, activityId: string, outgoing: Outgoing | undefined): AccountForm | undefined =>
  outgoing?.leaves_at
    ? { action: path(activityId), hidden: [{ name: 'once', value: newId() }], submit: texts.text('outgoing.stop') }
    : undefined

/** The page that stops the e-mails of an activity, and says what became of them. */
export const stopEmailsPage: OwnPage<Outgoing | undefined> = {
  path: path(':id'),
  section: accountPaths.apps,
  notices: { stopped: 'outgoing.done' },
  async read({ reader, params }) {
    const id = fromPublicId('act', String(params.id))
    return id === undefined ? undefined : (await outgoingOf(reader, [id])).get(id)
  },
  build: ({ texts, request }, outgoing) => {
    const form = stopForm(texts, String(request.params.id), outgoing)
    return {
      title: 'outgoing.title',
      back: { href: accountPaths.apps, label: texts.text('activity.back') },
      sections: [
        {
          id: 'emails',
          heading: texts.text('outgoing.title'),
          paragraphs: [texts.parts(form ? 'outgoing.explanation' : 'outgoing.none', {}), ...(form ? outgoingLines(texts, outgoing) : [])],
          forms: form ? [form] : [],
        },
      ],
    }
  },
  forms: {
    '': {
      operation: 'stopEmails',
      parameters: ({ params }) => ({ id: params.id }),
      body: () => ({}),
      done: 'stopped',
      problems: { invalid_state: 'outgoing.none' },
    },
  },
}
