import type { Found, FoundKind } from '@mainstay/contract/core/lists/search'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import type { Icon } from '../ui/icons'

type InstanceState = Pick<Instance, 'status' | 'task_state' | 'host_status'>

/** As the list of instances has it; the search knows of kinds only what all of them have. */
export const stateOf = ({ status, task_state, host_status }: Found) =>
  ({ status, task_state, host_status }) as InstanceState

/** One line of the search: what it says and what it does. */
export interface Entry {
  id: string
  label: string
  /** Dimmed behind the label. */
  detail?: string | undefined
  icon?: Icon | undefined
  /** Of an instance. */
  state?: InstanceState | undefined
  run: () => void
}

export interface Section {
  id: string
  label: string
  entries: readonly Entry[]
}

const words = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Those entries that have every word of the text in them; all for an empty one. */
export const matching = (entries: readonly Entry[], text: string): Entry[] =>
  entries.filter(({ label }) => words(text).every((word) => label.toLowerCase().includes(word)))

interface FoundOptions {
  labelOf: (kind: string) => string | undefined
  iconOf: (kind: string) => Icon | undefined
  open: (kind: string, row: Found) => void
}

/** A section for every kind that has a page and of which something was found. */
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
