import { draftsKey } from './kept'
import { sessionNow } from './session'

/** For how long what was typed into a form is kept on this device. */
export const draftHours = 8
/** More than this is no form that somebody typed. */
const mostLetters = 64 * 1024

export interface Draft {
  /** When it was typed, milliseconds. */
  at: number
  values: Record<string, unknown>
}

/** Where it was typed: in another project the same address makes something else. */
const placeOf = (path: string) => {
  const { panel, project } = sessionNow()
  return [panel?.panel, project?.id, path].join(' ')
}

const isDraft = (value: unknown): value is Draft => {
  const { at, values } = (value ?? {}) as Partial<Draft>
  return typeof at === 'number' && typeof values === 'object' && values !== null
}

/** Of the person who is signed in, and not over their time; whoever comes next finds nothing of somebody else. */
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
    // refused by the browser, or no JSON: nothing is kept
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
    // refused by the browser, or full
  }
}

/** What this person typed into the form at this address and did not send. */
export const readDraft = (path: string): Draft | undefined => readAll()[placeOf(path)]

/** `values`: without secrets. */
export function keepDraft(path: string, values: Draft['values']) {
  if (JSON.stringify(values).length > mostLetters) return
  write({ ...readAll(), [placeOf(path)]: { at: Date.now(), values } })
}

export function dropDraft(path: string) {
  const { [placeOf(path)]: _, ...others } = readAll()
  write(others)
}

export const hasDrafts = (): boolean => Object.keys(readAll()).length > 0
