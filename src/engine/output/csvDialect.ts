import { type CsvDialect, excelCsv, standardCsv } from '../../base/text/csvText.ts'
import type { Call } from '../call.ts'

/** Returns the dialect that the parameter `csv` asks for. That of Excel follows the locale of the school. */
export async function csvDialect({ database, school, parameters }: Call): Promise<CsvDialect> {
  if (parameters.get('csv') === undefined) return standardCsv
  const { locale } = await database.selectFrom('school').select('locale').where('id', '=', school.id).executeTakeFirstOrThrow()
  return excelCsv(locale)
}
