/** Apart from their colours, which only the chooser of schemes needs; the browser has them from schemes.css. */
export const schemeIds = [
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

export type SchemeId = (typeof schemeIds)[number]

export const isSchemeId = (value: unknown): value is SchemeId => schemeIds.some((id) => id === value)
