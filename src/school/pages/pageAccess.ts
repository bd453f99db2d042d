import type { Builder, Condition } from '../../database/statements/expressions.ts'

type Pages = Builder<'page'>

/** Selects the pages that visitors find in lists. */
export const isListed = (page: Pages): Condition => page.and({ status: 'published', visibility: 'public' })

/** Selects the pages that are absent from lists and open only with their slug or id. */
export const isUnlisted = (page: Pages): Condition => page.and({ status: 'published', visibility: 'unlisted' })

export const isOpenToVisitors = (page: Pages): Condition => page.or([isListed(page), isUnlisted(page)])
