import type { SchoolTheme } from '../domain/school/appearance.ts'

export type PageTheme = Pick<SchoolTheme, 'mode' | 'colors' | 'fonts' | 'corner_radius' | 'logo' | 'logo_dark'>
