const tabs = ['curl', 'command', 'terraform'] as const
/** In which words a request is shown. */
export type TwinTab = (typeof tabs)[number]

const key = 'mainstay.code'

/** The words that somebody last read; null where the code is hidden. */
export function keptTwin(): TwinTab | null {
  try {
    const kept = localStorage.getItem(key)
    return tabs.find((tab) => tab === kept) ?? null
  } catch {
    return null
  }
}

export function keepTwin(tab: TwinTab | null): void {
  try {
    if (tab === null) localStorage.removeItem(key)
    else localStorage.setItem(key, tab)
  } catch {
    // the choice lasts as long as the form
  }
}
