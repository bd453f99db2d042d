import { accountPaths } from '../../../base/accountPaths.ts'
import { dayEnd, dayIn, dayStart } from '../../../base/days.ts'
import { Problem } from '../../../base/problem.ts'
import type { OwnRequest } from '../ownPage.ts'
import { schoolPage } from './schoolAdmin.ts'
import { hasDetails } from './sellerDetails.ts'
import { queryOf, rowsAsked } from './statisticsQuery.ts'
import { type BehindFigures, readRows, rowsSection } from './statisticsRows.ts'
import { type Statistics, statisticsSections } from './statisticsSections.ts'

/** The page of the figures of the school, over days that the address names, also of one course. */
export const schoolStatisticsPage = schoolPage<{ statistics: Statistics; rows: BehindFigures | undefined }>({
  path: accountPaths.schoolStatistics,
  async read(request) {
    const { perform } = request
    const { body: school } = await perform('getSchool')
    const query = queryOf(request, dayIn(school.time_zone, new Date()))
    const { from, to, course: id } = query
    const period = { from, to, compare: 'previous_period' }
    const [{ body: top }, overview, course] = await Promise.all([
      perform('analyticsTopCourses', { from, to, limit: '20' }),
      id === undefined ? perform('analyticsOverview', period) : undefined,
      id === undefined ? undefined : readCourse(request, id, period),
    ])
    const times = { gte: dayStart(from, school.time_zone).toISOString(), lt: dayEnd(to, school.time_zone).toISOString() }
    return {
      statistics: { query, overview: overview?.body, course, courses: top.courses, lacksDetails: !hasDetails(school) },
      rows: await readRows(request, rowsAsked(request), { times, course: id }),
    }
  },
  build: ({ texts, schoolName }, { statistics, rows }) => ({
    title: 'school.statistics',
    introduction: texts.parts('school.statistics_introduction', {
      school: statistics.course?.title ?? schoolName,
      from: texts.date(new Date(`${statistics.query.from}T12:00:00Z`)),
      until: texts.date(new Date(`${statistics.query.to}T12:00:00Z`)),
    }),
    sections: [...(rows ? [rowsSection(texts, rows, statistics.query)] : []), ...statisticsSections(texts, statistics)],
  }),
})

async function readCourse({ perform }: OwnRequest, id: string, period: Readonly<Record<string, string>>) {
  const [{ body: course }, { body: revenue }, { body: enrollments }] = await Promise.all([
    perform('getCourse', { id_or_slug: id }),
    perform('analyticsRevenue', { ...period, product_id: id }),
    perform('analyticsEnrollments', { ...period, course_id: id }),
  ])
  if (course.id !== id) throw new Problem('not_found')
  return { id, title: course.title, revenue, enrollments }
}
