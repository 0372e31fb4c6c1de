import { layouts, type LayoutId } from './keyboard-layouts'

/** A key as sent to the guest: its X11 keysym and its position (the `code` of a keyboard event). */
export interface Key {
  keysym: number
  code: string
}

export const keys = {
  control: { keysym: 0xffe3, code: 'ControlLeft' },
  alt: { keysym: 0xffe9, code: 'AltLeft' },
  altGr: { keysym: 0xfe03, code: 'AltRight' },
  shift: { keysym: 0xffe1, code: 'ShiftLeft' },
  meta: { keysym: 0xffeb, code: 'MetaLeft' },
  delete: { keysym: 0xffff, code: 'Delete' },
  backspace: { keysym: 0xff08, code: 'Backspace' },
  tab: { keysym: 0xff09, code: 'Tab' },
  enter: { keysym: 0xff0d, code: 'Enter' },
  escape: { keysym: 0xff1b, code: 'Escape' },
  printScreen: { keysym: 0xff61, code: 'PrintScreen' },
  f1: { keysym: 0xffbe, code: 'F1' },
  f2: { keysym: 0xffbf, code: 'F2' },
  f3: { keysym: 0xffc0, code: 'F3' },
  f4: { keysym: 0xffc1, code: 'F4' },
  f7: { keysym: 0xffc4, code: 'F7' },
  f8: { keysym: 0xffc5, code: 'F8' },
  f12: { keysym: 0xffc9, code: 'F12' },
} as const satisfies Record<string, Key>
export type KeyName = keyof typeof keys

/** A typed character. `code` is null if the selected layout lacks the character. */
export interface KeyPress {
  keysym: number
  code: string | null
  isShifted: boolean
  isAltGr: boolean
}

/** The keysym of a character: equal to the code point for Latin-1, otherwise the code point plus 0x1000000. */
export const keysymOf = (codePoint: number): number => (codePoint < 0x100 ? codePoint : 0x01000000 + codePoint)

const special: Readonly<Record<string, Key>> = { '\n': keys.enter, '\t': keys.tab }

/**
 * Converts text to key presses. The guest maps keys to characters with its own layout, so each character is sent as the
 * key (with Shift or AltGr) that produces it in that layout. Characters missing from the layout are sent by keysym
 * only.
 */
export function textToPresses(text: string, layout: LayoutId): KeyPress[] {
  const known = layouts[layout].characters
  return [...text.replace(/\r\n?/g, '\n')].map((character): KeyPress => {
    const key = special[character]
    if (key) return { ...key, isShifted: false, isAltGr: false }
    const place = known.get(character)
    return {
      keysym: keysymOf(character.codePointAt(0) ?? 0),
      code: place?.code ?? null,
      isShifted: place?.level === 1,
      isAltGr: place?.level === 2,
    }
  })
}

/** Characters that the layout cannot type, without duplicates. */
export const untypable = (text: string, layout: LayoutId): string[] => [
  ...new Set([...text.replace(/\r\n?/g, '\n')].filter((it) => !special[it] && !layouts[layout].characters.has(it))),
]
