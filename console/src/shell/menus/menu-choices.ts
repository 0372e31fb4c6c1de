/** The user’s menu settings, stored in this browser per user. */
export interface MenuChoices {
  /** Whether the column is pinned or collapsed. Undefined until the user chooses; the window width then decides. */
  column: 'pinned' | 'collapsed' | undefined
  /** Path of the last opened entry, keyed by group ID. */
  pages: Readonly<Record<string, string>>
}

const keyOf = (whose: string) => `mainstay.menu.${whose}`

const none: MenuChoices = { column: undefined, pages: {} }

/** Reads the settings of a user. Values of an unexpected type are ignored. */
export function readChoices(whose: string): MenuChoices {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(whose)) ?? '{}') as { column?: unknown; pages?: unknown } | null
    const { column, pages } = kept ?? {}
    const known = typeof pages === 'object' && pages !== null ? Object.entries(pages) : []
    return {
      column: column === 'pinned' || column === 'collapsed' ? column : undefined,
      pages: Object.fromEntries(known.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    }
  } catch {
    return none
  }
}

export function keepChoices(whose: string, choices: MenuChoices): void {
  try {
    localStorage.setItem(keyOf(whose), JSON.stringify(choices))
  } catch {
    // the browser blocks storage: the settings last until the page is closed
  }
}
