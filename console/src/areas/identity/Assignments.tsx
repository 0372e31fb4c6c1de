import { projectRoles, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import type { User } from '@mainstay/contract/identity/users'
import { useState } from 'react'
import { asProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Select } from '../../ui/fields/Select'
import { IconButton } from '../../ui/IconButton'
import { CloseIcon } from '../../ui/icons'
import css from './Assignments.module.css'
import { projectRoleItems, roleName } from './user-words'

export interface Assignment {
  id: string
  name: string
  to: string
  /** Omitted where roles do not apply, for example for group membership. */
  role?: string
  /** Shown below the name: the groups through which the assignment was granted. */
  note?: string | undefined
  /** Set if the assignment comes from a group, so it cannot be edited here. */
  isFixed?: boolean
}

interface AssignmentsProps {
  label: string
  rows: readonly Assignment[]
  isLoading: boolean
  mayChange: boolean
  /** Label of the remove button in a row, such as "Remove from project alpha". */
  removeLabel: (name: string) => string
  onChange?: (row: Assignment, role: ProjectRole) => Promise<unknown>
  onRemove: (row: Assignment) => Promise<unknown>
}

const isProjectRole = (role: string | undefined): role is ProjectRole => projectRoles.some((it) => it === role)

/**
 * List of assignments with their roles, editable in place: the projects of a user or group, or the members of a project
 * or group.
 */
export function Assignments({ label, rows, isLoading, mayChange, removeLabel, onChange, onRemove }: AssignmentsProps) {
  const t = useT('identity')
  const shell = useT('shell')
  const [busy, setBusy] = useState<string>()
  const [problem, setProblem] = useState<ReturnType<typeof asProblem>>()
  const run = (row: Assignment, work: Promise<unknown>) => {
    setBusy(row.id)
    setProblem(undefined)
    void work.catch((thrown: unknown) => setProblem(asProblem(thrown))).finally(() => setBusy(undefined))
  }
  return (
    <>
      {problem && (
        <ErrorPanel title={t('assignments.failed')} why={problemText(problem, shell)} id={problem.requestId} />
      )}
      <ul className={css.list} aria-label={label} aria-busy={isLoading}>
        {rows.map((row) => (
          <li key={row.id}>
            <span className={css.name}>
              <Link to={row.to} dir="auto">
                {row.name}
              </Link>
              {row.note && <span className={css.note}>{row.note}</span>}
            </span>
            {row.role === undefined ? null : mayChange && !row.isFixed && onChange && isProjectRole(row.role) ? (
              <Select<ProjectRole>
                className={css.role}
                label={t('assignments.roleOf', { name: row.name })}
                isLabelHidden
                items={projectRoleItems(t)}
                value={row.role}
                isDisabled={busy === row.id}
                onChange={(role) => role !== row.role && run(row, onChange(row, role))}
              />
            ) : (
              <span className={css.role}>{roleName(row.role as User['role'], t)}</span>
            )}
            {mayChange && !row.isFixed && (
              <IconButton
                className={css.remove}
                icon={CloseIcon}
                label={removeLabel(row.name)}
                isDisabled={busy === row.id}
                onPress={() => run(row, onRemove(row))}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
