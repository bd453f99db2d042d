import type { SchoolFacts } from './schoolFacts.ts'

export interface SchoolAbout {
  name: string
  tagline: string | null
  /** The main language of the school (BCP 47). */
  locale: string
  contact_email: string | null
  support_url: string | null
  tax_mode: 'inclusive' | 'exclusive' | 'none'
}

export async function schoolAbout({ operations, view }: Pick<SchoolFacts, 'operations' | 'view'>): Promise<SchoolAbout> {
  const show = operations.find(({ kind, resource }) => kind === 'get' && resource.name === 'school')
  if (!show) throw new Error('no operation shows the school')
  return (await view.show(show)) as unknown as SchoolAbout
}
