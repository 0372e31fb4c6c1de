/** The position of a character in a layout: the key, and its level (0 plain, 1 with Shift, 2 with AltGr). */
export interface Place {
  code: string
  level: 0 | 1 | 2
}

interface Layout {
  name: string
  characters: ReadonlyMap<string, Place>
}

const numbers = ['Backquote', ...Array.from('1234567890', (digit) => `Digit${digit}`), 'Minus', 'Equal']
const letters = (row: string) => Array.from(row, (letter) => `Key${letter}`)
// key rows from top to bottom; IntlBackslash is the key next to the left Shift, which US keyboards lack
const rows = [
  numbers,
  [...letters('QWERTYUIOP'), 'BracketLeft', 'BracketRight', 'Backslash'],
  [...letters('ASDFGHJKL'), 'Semicolon', 'Quote'],
  ['IntlBackslash', ...letters('ZXCVBNM'), 'Comma', 'Period', 'Slash'],
]

/** Takes one string per level and row, with one character per key. A space marks a key without a character. */
function layout(name: string, levels: readonly (readonly string[])[]): Layout {
  const characters = new Map<string, Place>([[' ', { code: 'Space', level: 0 }]])
  for (const [level, texts] of levels.entries())
    for (const [row, text] of texts.entries())
      for (const [index, character] of Array.from(text).entries()) {
        const code = rows[row]?.[index]
        if (character !== ' ' && code !== undefined && !characters.has(character))
          characters.set(character, { code, level: level as Place['level'] })
      }
  return { name, characters }
}

export const layouts = {
  us: layout('English (US)', [
    ['`1234567890-=', 'qwertyuiop[]\\', "asdfghjkl;'", ' zxcvbnm,./'],
    ['~!@#$%^&*()_+', 'QWERTYUIOP{}|', 'ASDFGHJKL:"', ' ZXCVBNM<>?'],
  ]),
  gb: layout('English (UK)', [
    ['`1234567890-=', 'qwertyuiop[]#', "asdfghjkl;'", '\\zxcvbnm,./'],
    ['¬!"£$%^&*()_+', 'QWERTYUIOP{}~', 'ASDFGHJKL:@', '|ZXCVBNM<>?'],
    ['¦   €'],
  ]),
  de: layout('Deutsch', [
    [' 1234567890ß ', 'qwertzuiopü+#', 'asdfghjklöä', '<yxcvbnm,.-'],
    ['°!"§$%&/()=? ', "QWERTZUIOPÜ*'", 'ASDFGHJKLÖÄ', '>YXCVBNM;:_'],
    ['  ²³   {[]}\\', '@ €        ~', '', '|      µ'],
  ]),
  fr: layout('Français', [
    ['²&é"\'(-è_çà)=', 'azertyuiop $*', 'qsdfghjklmù', '<wxcvbn,;:!'],
    [' 1234567890°+', 'AZERTYUIOP £µ', 'QSDFGHJKLM%', '>WXCVBN?./§'],
    ['  ~#{[|`\\^@]}', '  €'],
  ]),
} as const satisfies Record<string, Layout>
export type LayoutId = keyof typeof layouts

export const isLayoutId = (text: string | null): text is LayoutId => text !== null && Object.hasOwn(layouts, text)
