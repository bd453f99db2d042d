/** Returns the title of a row, whichever field its resource uses for it: a common one, or the first of these fields that has a value. */
export const titleOf = (row: Readonly<Record<string, unknown>>, fields: readonly string[] = []): string =>
  String(['title', 'name', 'display_name', ...fields, 'slug', 'id'].map((name) => row[name]).find((value) => (value ?? '') !== ''))
