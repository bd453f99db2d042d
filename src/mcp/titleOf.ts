/** What a row is called, whatever its resource calls that. */
export const titleOf = (row: Readonly<Record<string, unknown>>): string =>
  String(row.title ?? row.name ?? row.display_name ?? row.slug ?? row.id)
