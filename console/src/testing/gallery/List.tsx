import { useState } from 'react'
import { Button } from '../../ui/Button'
import { Amount, Bytes } from '../../ui/values/Bytes'
import { Checkbox } from '../../ui/fields/Checkbox'
import { Chip } from '../../ui/values/Chip'
import { IconButton } from '../../ui/IconButton'
import { AddIcon, ColumnsIcon, FilterIcon, RefreshIcon } from '../../ui/icons'
import { Menu } from '../../ui/overlays/Menu'
import { ShortId } from '../../ui/values/Mono'
import { SearchField } from '../../ui/fields/SearchField'
import { Sparkline } from '../../ui/values/Sparkline'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { Time } from '../../ui/values/Time'
import css from './Gallery.module.css'
import { GiB, minutesAgo, load, rowActions } from './samples'
import { Section } from './section'

const rows = [
  { name: 'web-1', tone: 'ok', status: 'Active', vcpus: 2, memory: 4, disk: 32, at: 3 },
  { name: 'web-2', tone: 'busy', status: 'Building', vcpus: 2, memory: 4, disk: 32, at: 0 },
  { name: 'database-primary', tone: 'ok', status: 'Active', vcpus: 16, memory: 128, disk: 1024, at: 8_000 },
  { name: 'queue', tone: 'warn', status: 'Paused', vcpus: 1, memory: 1, disk: 8, at: 60 * 30 },
  { name: 'ci-runner-04', tone: 'bad', status: 'Error', vcpus: 8, memory: 16, disk: 128, at: 60 * 24 * 40 },
  { name: 'archive', tone: 'idle', status: 'Stopped', vcpus: 4, memory: 8, disk: 4096, at: 60 * 24 * 400 },
] as const

export function List() {
  const [typed, setTyped] = useState('')
  return (
    <Section title="In a list" isWide>
      <div className={css.toolbar}>
        <SearchField label="Search instances" shortcut="/" value={typed} onChange={setTyped} />
        <Button icon={FilterIcon}>Filter</Button>
        <Chip name="status" onRemove={() => {}}>
          error
        </Chip>
        <span className={css.spring} />
        <IconButton icon={RefreshIcon} label="Refresh" />
        <IconButton icon={ColumnsIcon} label="Columns" />
        <Button variant="primary" icon={AddIcon}>
          Create instance
        </Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <section className={css.scroll} tabIndex={0} aria-label="Instances">
        <table className={css.table}>
          <thead>
            <tr>
              <th>
                <Checkbox aria-label="Select all" isIndeterminate />
              </th>
              <th>Name</th>
              <th>Status</th>
              <th>Id</th>
              <th className={css.number}>vCPU</th>
              <th className={css.number}>Memory</th>
              <th className={css.number}>Disk</th>
              <th>Load</th>
              <th>Created</th>
              <th>
                <span className={css.actions}>Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.name} data-selected={index === 2 || undefined}>
                <td>
                  <Checkbox aria-label={`Select ${row.name}`} defaultSelected={index === 2} />
                </td>
                <td>
                  <a href="#row">{row.name}</a>
                </td>
                <td>
                  <StatusBadge tone={row.tone}>{row.status}</StatusBadge>
                </td>
                <td>
                  <ShortId id="7c9e6679-7425-40de-944b-e07fc1f90ae7" />
                </td>
                <td className={css.number}>
                  <Amount of={row.vcpus} />
                </td>
                <td className={css.number}>
                  <Bytes of={row.memory * GiB} unit="GiB" />
                </td>
                <td className={css.number}>
                  <Bytes of={row.disk * GiB} />
                </td>
                <td>
                  <Sparkline label="Load, 42%" values={load.map((value) => value && value / (index + 1))} high={90} />
                </td>
                <td>
                  <Time at={minutesAgo(row.at)} />
                </td>
                <td>
                  <Menu label={`Actions for ${row.name}`} items={rowActions} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  )
}
