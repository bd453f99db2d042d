import type { SchoolReader } from '../../database/connection/database.ts'
import { isOffered } from '../../database/statements/expressions.ts'
import { isInCatalogue } from './visibleCourses.ts'

export async function listCategories(database: SchoolReader): Promise<{ slug: string; name: string; courses_count: number }[]> {
  const rows = await database
    .selectFrom('course')
    .select((course) => ['category', course.fn.countAll<string>().as('count')])
    .$narrowType<{ category: string }>()
    .where('category', 'is not', null)
    .where((course) => course.and([isInCatalogue(course), isOffered(database.schoolId, 'courses')]))
    .groupBy('category')
    .orderBy('category')
    .execute()
  return rows.map(({ category, count }) => ({ slug: category, name: nameOf(category), courses_count: Number(count) }))
}

/** `natural-dyeing` → `Natural dyeing`. */
function nameOf(slug: string): string {
  const words = slug.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
