import type { ColumnOf, Row, TableName } from './expressions.ts'
import type { Resource } from './resource.ts'

/**
 * Rows of another resource beside a row: those whose ids the row names (one, or a list), or those that name the row in a column.
 * The other resource stands in a function: two resources may know each other.
 */
export type Expansion<Table extends TableName> =
  | { resource(): Resource; id(row: Row<Table>): string | null; ids?: undefined; by?: undefined }
  | { resource(): Resource; ids(row: Row<Table> & Record<string, unknown>): readonly string[]; id?: undefined; by?: undefined }
  | { resource(): Resource; by: { [Other in TableName]: ColumnOf<Other> }[TableName]; id?: undefined; ids?: undefined }

/** The same for the road that serves every resource. */
export interface AnyExpansion {
  resource(): Resource
  id?: ((row: never) => string | null) | undefined
  ids?: ((row: never) => readonly string[]) | undefined
  by?: string | undefined
}
