import { keysOf } from './keysOf.ts'

export interface Palette {
  primary: string
  accent: string
  background: string
  surface: string
  text: string
}

export const palettes = {
  studio: { primary: '#1f6f5c', accent: '#c4572f', background: '#ffffff', surface: '#f6f3ee', text: '#22201d' },
  campus: { primary: '#1d4f91', accent: '#b4541a', background: '#ffffff', surface: '#eef3f9', text: '#14202e' },
  journal: { primary: '#7a2e39', accent: '#2f5d62', background: '#fffdf8', surface: '#f5efe4', text: '#2a2522' },
  minimal: { primary: '#222222', accent: '#5b5b5b', background: '#ffffff', surface: '#f4f4f4', text: '#111111' },
} as const satisfies Record<string, Palette>

export type Theme = keyof typeof palettes

export const themes = keysOf(palettes)
