import { accountPaths, schoolAppPath } from '../../../base/accountPaths.ts'
import { signalSentence } from '../../../engine/write/signalSentences.ts'
import { findSchoolApp, type SchoolApp } from '../../../school/apps/schoolApps.ts'
import { appNames } from '../../appNames.ts'
import { pageProblem } from '../../pageProblem.ts'
import { plainText } from '../../plainText.ts'
import { type TextKey, type Texts, textOf } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import { type ActivityArguments, activitySections } from '../activitySections.ts'
import { activityNotices, readActivity } from '../appActivityPages.ts'
import { notAllowed, stateOf } from '../appState.ts'
import type { OwnPage } from '../ownPage.ts'
import { ofAdmins } from './schoolAdmin.ts'

interface Shown {
  app: SchoolApp
  activity: ActivityArguments
}

/** The page that shows owners and admins what an app did for everybody who gave it access. */
export const schoolAppPage: OwnPage<Shown> = {
  path: `${accountPaths.schoolApps}/:client`,
  section: accountPaths.schoolApps,
  access: ofAdmins,
  notices: activityNotices,
  async read(request) {
    const clientId = String(request.params.client)
    const app = await findSchoolApp(request.reader, clientId)
    if (!app) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    return { app, activity: await readActivity(request, { of: { clientId }, path: schoolAppPath(clientId), seesPeople: true }) }
  },
  build({ texts, schoolName }, { app, activity }) {
    const name = textOf(appNames(texts, [app])(app))
    const title = texts.text('activity.title', { app: name })
    return {
      title: { text: title },
      introduction: texts.parts('activity.introduction_school', { app: name, school: schoolName, zone: texts.timeZone }),
      sections: [appSection(texts, app, schoolName), ...activitySections(texts, activity)],
    }
  },
}

function appSection(texts: Texts, app: SchoolApp, school: string): AccountSection {
  const hidden = [{ name: 'client', value: app.clientId }]
  const fact = (label: TextKey, value: string) => ({ label: texts.text(label), value: texts.parts('school.verbatim', { text: value }) })
  const isPaused = app.pausedAt !== undefined
  return {
    id: 'app',
    heading: texts.text('activity.app'),
    paragraphs: [texts.parts('activity.pause_school_explanation', { school })],
    facts: [
      fact('school.people_label', texts.counted('school.people', app.people)),
      fact('activity.last_used', app.lastUsedAt ? texts.moment(app.lastUsedAt) : texts.text('activity.never_used')),
      fact('activity.state', notAllowed(texts, app.terms) ?? stateOf(texts, app.pausedAt, 'school')),
      ...(app.endsAt ? [fact('school.last_end_label', texts.moment(app.endsAt))] : []),
      ...app.signals.map((signal) =>
        fact(
          'school.signal_label',
          texts.text('school.signal', { date: texts.moment(signal.noticed_at), text: signalSentence(signal)[texts.language] }),
        ),
      ),
      fact('school.id_label', plainText(app.clientId, 300)),
    ],
    forms: [
      {
        action: isPaused ? accountPaths.schoolContinueApp : accountPaths.schoolPauseApp,
        hidden,
        submit: texts.text(isPaused ? 'activity.continue' : 'activity.pause'),
      },
      ...(app.grants > 0
        ? [{ action: accountPaths.schoolEndAccess, hidden, submit: texts.text('school.end_access'), kind: 'danger' as const }]
        : []),
    ],
  }
}
