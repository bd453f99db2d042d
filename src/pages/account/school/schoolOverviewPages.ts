import { accountPaths } from '../../../base/accountPaths.ts'
import type { OverviewReport } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import type { OwnPage } from '../ownPage.ts'
import { type PeopleLists, peopleLists, peopleSections } from './peopleSections.ts'
import { ofAdmins } from './schoolAdmin.ts'
import { schoolLinks } from './schoolSections.ts'
import { statisticsSections } from './statisticsSections.ts'

/** The page with the people of the school. */
export const schoolPeoplePage: OwnPage<{ words: string; lists: PeopleLists }> = {
  path: accountPaths.schoolPeople,
  section: accountPaths.school,
  access: ofAdmins,
  async read(request) {
    const { q } = request.ctx.query
    const words = typeof q === 'string' ? plainText(q, 100).trim() : ''
    return { words, lists: await peopleLists(request, words) }
  },
  build: ({ texts, schoolName }, { words, lists }) => ({
    title: 'school.people',
    heading: texts.text('school.people'),
    siblings: schoolLinks(texts, accountPaths.schoolPeople),
    introduction: texts.parts('school.people_introduction', { school: schoolName }),
    sections: peopleSections(texts, words, lists),
  }),
}

/** The page with the figures of the school. */
export const schoolStatisticsPage: OwnPage<OverviewReport> = {
  path: accountPaths.schoolStatistics,
  section: accountPaths.school,
  access: ofAdmins,
  read: async ({ perform }) => (await perform('analyticsOverview', { interval: 'day' })).body,
  build: ({ texts, schoolName }, report) => ({
    title: 'school.statistics',
    heading: texts.text('school.statistics'),
    siblings: schoolLinks(texts, accountPaths.schoolStatistics),
    introduction: texts.parts('school.statistics_introduction', {
      school: schoolName,
      from: texts.date(new Date(`${report.from}T12:00:00Z`)),
      until: texts.date(new Date(`${report.to}T12:00:00Z`)),
    }),
    sections: statisticsSections(texts, report),
  }),
}
