import { keysOf } from '../../base/text/keysOf.ts'

/** The families that a school can choose, with the ones that replace a family while it loads. */
export const fontFamilies = {
  atkinson_hyperlegible: "'Atkinson Hyperlegible', Verdana, sans-serif",
  fraunces: "Fraunces, Georgia, 'Times New Roman', serif",
  ibm_plex_mono: "'IBM Plex Mono', Menlo, Consolas, monospace",
  ibm_plex_sans: "'IBM Plex Sans', 'Helvetica Neue', Arial, sans-serif",
  inter: 'Inter, system-ui, sans-serif',
  karla: "Karla, 'Gill Sans', 'Trebuchet MS', sans-serif",
  lora: "Lora, Georgia, 'Times New Roman', serif",
  merriweather: "Merriweather, Georgia, 'Times New Roman', serif",
  nunito_sans: "'Nunito Sans', 'Segoe UI', system-ui, sans-serif",
  source_sans: "'Source Sans 3', 'Segoe UI', system-ui, sans-serif",
  source_serif: "'Source Serif 4', Georgia, 'Times New Roman', serif",
  work_sans: "'Work Sans', 'Helvetica Neue', Arial, sans-serif",
} as const satisfies Record<string, string>

export type FontFamily = keyof typeof fontFamilies

export const fontNames = keysOf(fontFamilies)
