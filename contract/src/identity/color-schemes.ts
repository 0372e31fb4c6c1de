/** The fifteen colour schemes that a theme may name, apart from their colours (S1§1). */
export const colorSchemes = [
  'azure',
  'navy',
  'indigo',
  'violet',
  'plum',
  'magenta',
  'crimson',
  'brick',
  'amber',
  'olive',
  'green',
  'teal',
  'cyan',
  'slate',
  'graphite',
] as const

export type ColorScheme = (typeof colorSchemes)[number]
