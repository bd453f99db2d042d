import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../../base/accountPaths.ts'
import { plainText } from '../../plainText.ts'
import type { AccountArguments } from '../accountArguments.ts'
import { found } from '../found.ts'
import { requestOf } from '../operationPages.ts'
import type { OwnContent, OwnPageContext, OwnPages } from '../ownPage.ts'
import { peopleLists, peopleSections } from './peopleSections.ts'
import { adminOrAway } from './schoolAdmin.ts'
import { schoolLinks } from './schoolSections.ts'
import { statisticsSections } from './statisticsSections.ts'

/** The pages with the people and the figures of the school. */
export interface SchoolOverviewPages {
  people: Middleware
  statistics: Middleware
}

export function schoolOverviewPages(args: AccountArguments, pages: OwnPages): SchoolOverviewPages {
  const page =
    <Shown>(
      path: string,
      {
        read,
        build,
      }: {
        read(request: ReturnType<typeof requestOf>): Promise<Shown>
        build(context: OwnPageContext, shown: Shown): Omit<OwnContent, 'siblings'>
      },
    ): Middleware =>
    async (ctx: Context) => {
      const admin = await adminOrAway(ctx, args, path + ctx.search)
      if (!admin) return
      const shown = await found(() => read(requestOf(args, ctx, admin, path)))
      await pages.show(ctx, admin, { path, section: accountPaths.school, notices: {} }, (context) => ({
        ...build(context, shown),
        siblings: schoolLinks(context.texts, path),
      }))
    }

  return {
    people: page(accountPaths.schoolPeople, {
      async read(request) {
        const { q } = request.ctx.query
        const words = typeof q === 'string' ? plainText(q, 100).trim() : ''
        return { words, lists: await peopleLists(request, words) }
      },
      build: ({ texts, schoolName }, { words, lists }) => ({
        title: 'school.people',
        heading: texts.text('school.people'),
        introduction: texts.parts('school.people_introduction', { school: schoolName }),
        sections: peopleSections(texts, words, lists),
      }),
    }),
    statistics: page(accountPaths.schoolStatistics, {
      read: async ({ perform }) => (await perform('analyticsOverview', { interval: 'day' })).body,
      build: ({ texts, schoolName }, report) => ({
        title: 'school.statistics',
        heading: texts.text('school.statistics'),
        introduction: texts.parts('school.statistics_introduction', {
          school: schoolName,
          from: texts.date(new Date(`${report.from}T12:00:00Z`)),
          until: texts.date(new Date(`${report.to}T12:00:00Z`)),
        }),
        sections: statisticsSections(texts, report),
      }),
    }),
  }
}
