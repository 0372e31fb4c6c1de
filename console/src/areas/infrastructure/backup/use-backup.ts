import { useEffect } from 'react'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { onChange } from '../../../api/changes'
import { useView } from '../../../api/use-view'

export const BACKUP_TASK = 'management.backup.create'
/** Delay before reloading, so that several changes trigger a single reload. */
const restMs = 500
/** Polling interval, needed because a backup becomes overdue without an event. */
const everyMs = 5_000

/** The management backup, kept up to date while mounted. */
export function useBackup() {
  const view = useView(managementBackup.view, {}, { everyMs })
  const { reload } = view
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      timer = undefined
      reload()
    }
    const stop = onChange(taskKind.name, ({ entity }) => {
      if ((entity as unknown as Task | null)?.name === BACKUP_TASK) timer ??= setTimeout(later, restMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
    // `reload` is a new function on every render but always does the same thing
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return view
}
