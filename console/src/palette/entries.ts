import type { Found, FoundKind } from '@mainstay/contract/core/lists/search'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import type { Icon } from '../ui/icons'

type InstanceState = Pick<Instance, 'status' | 'task_state' | 'host_status'>

/**
 * The instance state in a search result. The type of the search response includes only the fields that all kinds share.
 */
export const stateOf = ({ status, task_state, host_status }: Found) =>
  ({ status, task_state, host_status }) as InstanceState

export interface Entry {
  id: string
  label: string
  /** Shown dimmed after the label. */
  detail?: string | undefined
  icon?: Icon | undefined
  /** Set for instances only. */
  state?: InstanceState | undefined
  run: () => void
}

export interface Section {
  id: string
  label: string
  entries: readonly Entry[]
}

const words = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)

/** The entries whose label contains every typed word; all entries if the text is empty. */
export const matching = (entries: readonly Entry[], text: string): Entry[] =>
  entries.filter(({ label }) => words(text).every((word) => label.toLowerCase().includes(word)))

interface FoundOptions {
  labelOf: (kind: string) => string | undefined
  iconOf: (kind: string) => Icon | undefined
  open: (kind: string, row: Found) => void
}

/** One section per kind that has a page and at least one result. */
export const foundSections = (found: readonly FoundKind[], { labelOf, iconOf, open }: FoundOptions): Section[] =>
  found.flatMap(({ kind, rows }) => {
    const label = labelOf(kind)
    if (label === undefined) return []
    const entries = rows.map((row): Entry => ({
      id: `${kind} ${row.id}`,
      label: row.name,
      detail: row.address ?? undefined,
      icon: iconOf(kind),
      state: kind === instanceKind.name ? stateOf(row) : undefined,
      run: () => open(kind, row),
    }))
    return [{ id: kind, label, entries }]
  })
