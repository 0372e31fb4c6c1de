import { useState } from 'react'
import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import { instances, type InstanceEvent } from '@mainstay/contract/compute/instances'
import { useView } from '../../../../api/use-view'
import type { Key } from '../../../../i18n/catalogues'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { LogIcon } from '../../../../ui/icons'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { Select } from '../../../../ui/fields/Select'
import { Time } from '../../../../ui/values/Time'
import type { Tone } from '../../../../ui/tone'
import { eventNames } from './event-names'
import type { InstanceTabProps } from './tab-props'
import css from './small-table.module.css'

type Result = InstanceEvent['result']
const results: Readonly<Record<Result, { tone: Tone; text: Key<'instances'> }>> = {
  success: { tone: 'ok', text: 'instances.event.success' },
  error: { tone: 'bad', text: 'instances.event.error' },
  running: { tone: 'busy', text: 'instances.event.running' },
}

const shown = 100

/** What was done to the instance, by whom, newest first. */
export default function InstanceEvents({ instance }: InstanceTabProps) {
  const t = useT('instances')
  const format = useFormat()
  const [wanted, setWanted] = useState<Result | 'all'>('all')
  const { data, isLoading } = useView(
    instances.events,
    { id: instance.id },
    { query: { limit: shown }, everyMs: instanceInProgress(instance) ? 2000 : 15_000 },
  )
  if (isLoading) return <SkeletonRows rows={5} columns={4} />
  const events = (data?.data ?? []).filter(({ result }) => wanted === 'all' || result === wanted)
  return (
    <>
      <div className={css.bar}>
        <Select
          label={t('instances.event.result')}
          isLabelHidden
          className={css.choice}
          value={wanted}
          onChange={setWanted}
          items={[
            { id: 'all', label: t('instances.event.all') },
            ...(Object.keys(results) as Result[]).map((id) => ({ id, label: t(results[id].text) })),
          ]}
        />
      </div>
      {events.length === 0 ? (
        <EmptyState icon={LogIcon}>{t('instances.event.none')}</EmptyState>
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('instances.event.action')}</th>
              <th scope="col">{t('instances.event.result')}</th>
              <th scope="col">{t('instances.event.user')}</th>
              <th scope="col">{t('instances.event.started')}</th>
              <th scope="col" className={css.end}>
                {t('instances.event.took')}
              </th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ id, action, result, message, user_name, started_at, finished_at, request_id }) => (
              <tr key={id} title={request_id ?? undefined}>
                <td>
                  {eventNames[action] ? t(eventNames[action]) : action}
                  {message && <span className={css.message}>{message}</span>}
                </td>
                <td>
                  <StatusBadge tone={results[result].tone}>{t(results[result].text)}</StatusBadge>
                </td>
                <td>{user_name ? <bdi>{user_name}</bdi> : '–'}</td>
                <td>
                  <Time at={started_at} />
                </td>
                <td className={css.end}>
                  <bdi>{finished_at ? format.duration(Date.parse(finished_at) - Date.parse(started_at)) : '–'}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
