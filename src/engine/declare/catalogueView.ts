/** How the MCP tools present a resource to visitors. */
export interface CatalogueView {
  /** The fields of a row in a list, if the caller selects none. An empty list means every field. */
  row: readonly string[]
  /** The filters that visitors need, by the name of their parameter: `price[lte]`. Undefined means every filter by equality. */
  filters: readonly string[] | undefined
}

export const plainView: CatalogueView = { row: [], filters: undefined }
