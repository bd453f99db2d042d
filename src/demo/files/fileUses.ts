import { toPublicId } from '../../lib/ids.ts'
import { demoId } from '../ids.ts'
import { pages } from '../pages.ts'
import type { DemoFile, DemoFileUse } from './demoFiles.ts'

export function fileUses(schoolId: string, files: readonly DemoFile[]) {
  const uses = files.map(({ use, alt }, index) => ({ use, alt, fileId: demoId(schoolId, 'file', index) }))
  const rowId = ({ type, row }: DemoFileUse): string => {
    if (type === 'appearance') return schoolId
    return demoId(schoolId, type, typeof row === 'number' ? row : pages.findIndex(({ slug }) => slug === row))
  }
  const usedBy = (type: DemoFileUse['type'], row: DemoFileUse['row']) => uses.filter(({ use }) => use.type === type && use.row === row)
  return {
    columns: <Field extends string>(type: DemoFileUse['type'], row: number, field: Field) => {
      const found = usedBy(type, row).find(({ use }) => use.field === field)
      return { [`${field}_file_id`]: found?.fileId ?? null, [`${field}_alt`]: found?.alt ?? null } as Record<
        `${Field}_file_id` | `${Field}_alt`,
        string | null
      >
    },
    idsIn: (type: DemoFileUse['type'], row: number): string[] => usedBy(type, row).map(({ fileId }) => fileId),
    pictureOf: (slug: string) => {
      const [found] = usedBy('page', slug)
      return found && { file_id: toPublicId('fil', found.fileId), alt: found.alt, caption: null }
    },
    references: () =>
      uses.map(({ use, fileId }) => ({ school_id: schoolId, file_id: fileId, ref_type: use.type, ref_id: rowId(use), field: use.field })),
  }
}
