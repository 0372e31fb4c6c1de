/** The fifteen color schemes that a theme can use, without their colors (S1§1). */
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
