import type { KeyName } from './keysyms'

/**
 * Key combinations that the browser or operating system intercepts, so a menu sends them. Their names are not
 * translated.
 */
export const combos: readonly { label: string; keys: readonly KeyName[] }[] = [
  { label: 'Ctrl+Alt+Del', keys: ['control', 'alt', 'delete'] },
  { label: 'Ctrl+Alt+Backspace', keys: ['control', 'alt', 'backspace'] },
  { label: 'Ctrl+Alt+F1', keys: ['control', 'alt', 'f1'] },
  { label: 'Ctrl+Alt+F2', keys: ['control', 'alt', 'f2'] },
  { label: 'Ctrl+Alt+F3', keys: ['control', 'alt', 'f3'] },
  { label: 'Ctrl+Alt+F4', keys: ['control', 'alt', 'f4'] },
  { label: 'Ctrl+Alt+F7', keys: ['control', 'alt', 'f7'] },
  { label: 'Alt+Tab', keys: ['alt', 'tab'] },
  { label: 'Alt+F4', keys: ['alt', 'f4'] },
  { label: 'Ctrl+Esc', keys: ['control', 'escape'] },
  { label: 'Esc', keys: ['escape'] },
  { label: 'F8', keys: ['f8'] },
  { label: 'F12', keys: ['f12'] },
  { label: 'Super', keys: ['meta'] },
  { label: 'Print Screen', keys: ['printScreen'] },
]
