import { hasWordSearch } from '../../database/statements/catalogueSearch.ts'
import type { Resource } from './resource.ts'

export const isSearchable = ({ table, search }: Pick<Resource, 'table' | 'search'>): boolean => search.length > 0 && hasWordSearch(table)
