/** The fields that name a row, in their order: common ones, and these of its resource. */
export const titleNames = (fields: readonly string[]): string[] => ['title', 'name', 'display_name', ...fields, 'slug', 'id']

/** Returns the title of a row, whichever field its resource uses for it: a common one, or the first of these fields that has a value. */
export const titleOf = (row: Readonly<Record<string, unknown>>, fields: readonly string[] = []): string =>
  String(
    titleNames(fields)
      .map((name) => row[name])
      .find((value) => (value ?? '') !== ''),
  )
