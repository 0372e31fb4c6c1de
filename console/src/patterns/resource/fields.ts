import type { Area, Key } from '../../i18n/catalogues'

interface TextOptions {
  help?: Key
  isOptional?: boolean
}
interface NumberRange {
  /** Display unit: `MiB`. */
  unit?: string
  minValue?: number
  maxValue?: number
  step?: number
}
/** A radio card with a description. */
interface Card {
  id: string
  label: Key
  description: Key
}

/** A form field as data. Its component is loaded with the form, not with the list. */
export type Field = { name: string; area: Area; label: Key } & (
  | ({ as: 'text' | 'textArea' } & TextOptions)
  | { as: 'number'; help?: Key | undefined; range: NumberRange }
  | { as: 'checkbox'; help?: Key }
  | { as: 'cards'; items: readonly Card[] }
)

/** Field builders for a form: `const field = fields<FlavorDraft>('compute')`, then `field.text('name', …)`. */
export function fields<Draft extends object>(area: Area) {
  type Name = keyof Draft & string
  return {
    text: (name: Name, label: Key, options?: TextOptions): Field => ({ as: 'text', area, name, label, ...options }),
    textArea: (name: Name, label: Key, options?: TextOptions): Field => ({
      as: 'textArea',
      ...{ area, name, label },
      ...options,
    }),
    number: (name: Name, label: Key, { help, ...range }: NumberRange & { help?: Key } = {}): Field => ({
      as: 'number',
      ...{ area, name, label, help, range },
    }),
    checkbox: (name: Name, label: Key, options?: { help?: Key }): Field => ({
      as: 'checkbox',
      ...{ area, name, label },
      ...options,
    }),
    cards: (name: Name, label: Key, items: readonly Card[]): Field => ({ as: 'cards', area, name, label, items }),
  }
}
