import type { SchoolRow } from '../school/apiRows.ts'
import type { SchoolFacts } from './schoolFacts.ts'

export async function schoolAbout({ operations, view }: Pick<SchoolFacts, 'operations' | 'view'>): Promise<SchoolRow> {
  const show = operations.find(({ kind, resource }) => kind === 'get' && resource.name === 'school')
  if (!show) throw new Error('no operation shows the school')
  return await view.show<SchoolRow>(show)
}
