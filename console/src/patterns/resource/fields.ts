import type { Area, Key } from '../../i18n/catalogues'

interface TextOptions {
  help?: Key
  isOptional?: boolean
}
interface NumberRange {
  /** As it is read: `MiB`. */
  unit?: string
  minValue?: number
  maxValue?: number
  step?: number
}
/** One of a few, and what choosing it means. */
interface Card {
  id: string
  label: Key
  description: Key
}

/** A field of an ordinary form, as data: what draws it is fetched with the form, and not with the list. */
export type Field = { name: string; area: Area; label: Key } & (
  | ({ as: 'text' | 'textArea' } & TextOptions)
  | { as: 'number'; help?: Key | undefined; range: NumberRange }
  | { as: 'checkbox'; help?: Key }
  | { as: 'cards'; items: readonly Card[] }
)

/** Makes the fields of a form: `const field = fields<FlavorDraft>('compute')`, then `field.text('name', …)`. */
export function fields<Draft extends object>(area: Area) {
  type Name = keyof Draft & string
  return {
    text: (name: Name, label: Key, options?: TextOptions): Field => ({ as: 'text', area, name, label, ...options }),
    /** Several lines. */
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
