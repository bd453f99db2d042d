/** Returns the title of a row, whichever field its resource uses for it. */
export const titleOf = (row: Readonly<Record<string, unknown>>): string =>
  String(row.title ?? row.name ?? row.display_name ?? row.slug ?? row.id)
