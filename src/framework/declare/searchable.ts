import { hasWordSearch } from '../../store/catalogueSearch.ts'
import type { Resource } from './resource.ts'

/** True if a search finds the rows of the resource by their words. */
export const isSearchable = ({ table, search }: Pick<Resource, 'table' | 'search'>): boolean => search.length > 0 && hasWordSearch(table)
