/** What a person chose in the menu. Kept in this browser, for each person. */
export interface MenuChoices {
  /** Undefined before any choice: the width of the window decides. */
  column: 'pinned' | 'collapsed' | undefined
  /** The address of the entry that was open last, by group. */
  pages: Readonly<Record<string, string>>
}

const keyOf = (whose: string) => `mainstay.menu.${whose}`

const none: MenuChoices = { column: undefined, pages: {} }

/** The choices of a person. Those of another form are ignored. */
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
    // refused by the browser: the choice lasts as long as the page
  }
}
