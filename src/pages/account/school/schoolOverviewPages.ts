import { accountPaths } from '../../../base/accountPaths.ts'
import type { OverviewReport } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import { type PeopleLists, peopleLists, peopleSections } from './peopleSections.ts'
import { schoolPage } from './schoolAdmin.ts'
import { statisticsSections } from './statisticsSections.ts'

export const schoolPeoplePage = schoolPage<{ words: string; lists: PeopleLists }>({
  path: accountPaths.schoolPeople,
  async read(request) {
    const { q } = request.ctx.query
    const words = typeof q === 'string' ? plainText(q, 100).trim() : ''
    return { words, lists: await peopleLists(request, words) }
  },
  build: ({ texts, schoolName }, { words, lists }) => ({
    title: 'school.people',
    introduction: texts.parts('school.people_introduction', { school: schoolName }),
    sections: peopleSections(texts, words, lists),
  }),
})

export const schoolStatisticsPage = schoolPage<OverviewReport>({
  path: accountPaths.schoolStatistics,
  read: async ({ perform }) => (await perform('analyticsOverview', { interval: 'day' })).body,
  build: ({ texts, schoolName }, report) => ({
    title: 'school.statistics',
    introduction: texts.parts('school.statistics_introduction', {
      school: schoolName,
      from: texts.date(new Date(`${report.from}T12:00:00Z`)),
      until: texts.date(new Date(`${report.to}T12:00:00Z`)),
    }),
    sections: statisticsSections(texts, report),
  }),
})
