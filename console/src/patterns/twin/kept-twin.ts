const tabs = ['curl', 'command', 'terraform'] as const
/** The format in which a request is shown. */
export type TwinTab = (typeof tabs)[number]

const key = 'mainstay.code'

/** The format used last; null if the code is hidden. */
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
    // storage is blocked: the choice lasts as long as the form
  }
}
