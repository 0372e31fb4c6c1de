import { draftsKey } from './kept'
import { sessionNow } from './session'

/** How long a draft is kept on this device, in hours. */
export const draftHours = 8
/** Maximum length of the JSON, in characters; longer values were not typed by hand. */
const mostLetters = 64 * 1024

export interface Draft {
  /** When the draft was saved, in ms since 1970. */
  at: number
  values: Record<string, unknown>
}

/** Draft key. It includes the project, because the same path in another project creates a different object. */
const placeOf = (path: string) => {
  const { panel, project } = sessionNow()
  return [panel?.panel, project?.id, path].join(' ')
}

const isDraft = (value: unknown): value is Draft => {
  const { at, values } = (value ?? {}) as Partial<Draft>
  return typeof at === 'number' && typeof values === 'object' && values !== null
}

/** The current user's unexpired drafts. Other users' drafts are ignored. */
function readAll(): Record<string, Draft> {
  try {
    const kept = JSON.parse(localStorage.getItem(draftsKey) ?? 'null') as { user?: unknown; drafts?: unknown } | null
    if (!kept || kept.user !== sessionNow().user?.id) return {}
    const oldest = Date.now() - draftHours * 3_600_000
    return Object.fromEntries(
      Object.entries(kept.drafts ?? {}).filter(
        (entry): entry is [string, Draft] => isDraft(entry[1]) && entry[1].at > oldest,
      ),
    )
  } catch {
    // storage is blocked or contains invalid JSON
    return {}
  }
}

function write(drafts: Record<string, Draft>) {
  const user = sessionNow().user?.id
  try {
    if (user === undefined) return
    if (Object.keys(drafts).length === 0) return localStorage.removeItem(draftsKey)
    localStorage.setItem(draftsKey, JSON.stringify({ user, drafts }))
  } catch {
    // storage is blocked or full
  }
}

/** The current user's unsent draft for the form at this path. */
export const readDraft = (path: string): Draft | undefined => readAll()[placeOf(path)]

/** Stores a draft for the form at this path. `values` must not contain secrets. */
export function keepDraft(path: string, values: Draft['values']) {
  if (JSON.stringify(values).length > mostLetters) return
  write({ ...readAll(), [placeOf(path)]: { at: Date.now(), values } })
}

export function dropDraft(path: string) {
  const { [placeOf(path)]: _, ...others } = readAll()
  write(others)
}

export const hasDrafts = (): boolean => Object.keys(readAll()).length > 0
