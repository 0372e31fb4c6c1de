import { PART_LIMIT } from '@mainstay/contract/core/lists/paging'
import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { noticeTypeOf, taskError, taskText } from '../../../notices/task-words'
import { Timeline, type HistoryEntry } from '../../../patterns/Timeline'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { LogIcon } from '../../../ui/icons'
import type { Tone } from '../../../ui/tone'
import { vpnStatus } from '../words'

const tones: Readonly<Record<string, Tone>> = { success: 'ok', error: 'bad', warning: 'idle', progress: 'busy' }

/** The status history, or the current status if the engine keeps no history. */
function changesOf({ status, reason, status_changed_at: at, status_history: history = [] }: IpsecSiteConnection) {
  return history.length > 0 || at === null ? history : [{ at, status, reason }]
}

/** Tasks and status changes for the connection, newest first. */
export function VpnEvents({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const words = useT('tasks')
  const shell = useT('shell')
  const may = useMay()
  const list = useList(tasks.list, taskKind, {
    ...{ stateIn: 'memory', limit: PART_LIMIT, only: { subject_id: connection.id } },
    isEnabled: may(tasks.list.needs),
  })
  if (list.problem)
    return (
      <ErrorPanel
        title={t('events.failed')}
        why={problemText(list.problem, shell)}
        id={list.problem.requestId}
        onRetry={list.reload}
      />
    )
  if (list.isLoading && may(tasks.list.needs)) return <SkeletonRows rows={4} columns={2} />

  const done = (task: Task): HistoryEntry => ({
    ...{ id: task.id, at: task.finished_at ?? task.created_at, changes: [] },
    tone: tones[noticeTypeOf[task.state] ?? 'progress'] ?? 'busy',
    ...{ title: taskText(task, words), result: '' },
    message: task.state === 'failed' ? taskError(task, words) : null,
    by: task.user_name && t('events.by', { name: task.user_name }),
  })
  const now: HistoryEntry[] = changesOf(connection).map((change, number) => {
    const { tone, text } = vpnStatus(change, t)
    return {
      ...{ id: `status ${number}`, at: change.at, tone, title: text, result: '', message: change.reason, changes: [] },
      by: t('events.tunnel'),
    }
  })
  const all = [...now, ...list.rows.map(done)].toSorted((one, other) => (one.at < other.at ? 1 : -1))
  if (all.length === 0) return <EmptyState icon={LogIcon}>{t('events.none')}</EmptyState>
  return (
    <>
      <Timeline happenings={all} />
      {list.hasMore && (
        <Button isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {t('events.earlier')}
        </Button>
      )}
    </>
  )
}
