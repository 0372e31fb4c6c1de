import { useState } from 'react'
import type { Instance, TimelineEntry } from '@mainstay/contract/compute/instances'
import type { AlertType } from '@mainstay/contract/monitoring/alert-rules'
import { problemText } from '../../../../api/problem-text'
import type { Key } from '../../../../i18n/catalogues'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { alertText, severityTones } from '../../../../notices/alert-words'
import { Timeline, type HistoryEntry } from '../../../../patterns/Timeline'
import { Button } from '../../../../ui/Button'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { LogIcon } from '../../../../ui/icons'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { Select } from '../../../../ui/fields/Select'
import type { Tone } from '../../../../ui/tone'
import { usePlacements } from '../../placements/use-placements'
import { useFlavors } from '../add/use-flavors'
import { changesInWords, createdFrom, hasChanges, namesOf, type ChangeWords } from './event-changes'
import { eventName } from './event-names'
import type { InstanceTabProps } from './tab-props'
import { useTimeline } from './use-timeline'
import css from './small-table.module.css'

type Result = TimelineEntry['result']
const results: Readonly<Record<Result, { tone: Tone; text: Key<'instance'> }>> = {
  success: { tone: 'ok', text: 'instances.event.success' },
  error: { tone: 'bad', text: 'instances.event.error' },
  running: { tone: 'busy', text: 'instances.event.running' },
}

/** Names for `stop` and `reboot` calls that do not wait for the guest. */
const hardNames: Readonly<Record<string, Key<'instances'> | undefined>> = {
  stop: 'instances.action.powerOff',
  reboot: 'instances.action.hardReboot',
}

const isShown = {
  all: () => true,
  changes: hasChanges,
  failures: ({ result }: TimelineEntry) => result === 'error',
}
type Shown = keyof typeof isShown

/**
 * Calls that only read the instance. Opening its page also opens the console, and these calls must not flood the
 * timeline.
 */
const looks: readonly string[] = ['console', 'log']

const isSameLook = (one: TimelineEntry, other: TimelineEntry | undefined) =>
  other !== undefined &&
  one.source === 'call' &&
  looks.includes(one.name) &&
  (['name', 'result', 'user_id', 'address', 'message'] as const).every((field) => one[field] === other[field])

/** Combines consecutive views by the same user on the same day into one entry with a count. */
function withoutRepeats(entries: readonly TimelineEntry[], dayOf: (at: string) => string) {
  const told: { entry: TimelineEntry; count: number }[] = []
  for (const entry of entries) {
    const last = told.at(-1)
    if (last && isSameLook(entry, last.entry) && dayOf(entry.at) === dayOf(last.entry.at)) last.count += 1
    else told.push({ entry, count: 1 })
  }
  return told
}

interface InstanceEventsProps extends InstanceTabProps {
  /** The instance was deleted: entries already loaded are kept, and no more are requested. */
  isGone?: boolean
}

/** Timeline of an instance, newest first: alerts, and actions with their user, source address and changes. */
export default function InstanceEvents({ instance, isGone = false }: InstanceEventsProps) {
  const t = useT('instance')
  const shell = useT('shell')
  const format = useFormat()
  const [wanted, setWanted] = useState<Shown>('all')
  const { entries, isLoading, problem, reload, ...earlier } = useTimeline(instance.id, isGone)
  const happening = useHappening(isGone, useChangeWords(instance, entries ?? []))
  if (problem)
    return (
      <ErrorPanel
        title={t('instances.event.failed')}
        why={problemText(problem, shell)}
        id={problem.requestId}
        onRetry={reload}
      />
    )
  if (isLoading) return <SkeletonRows rows={5} columns={2} />
  const happenings = withoutRepeats((entries ?? []).filter(isShown[wanted]), format.date).map(happening)
  return (
    <>
      <div className={css.bar}>
        <Select
          label={t('instances.event.show')}
          isLabelHidden
          className={css.choice}
          value={wanted}
          onChange={setWanted}
          items={(Object.keys(isShown) as Shown[]).map((id) => ({ id, label: t(`instances.event.show.${id}`) }))}
        />
      </div>
      {happenings.length === 0 ? (
        <EmptyState icon={LogIcon}>{t('instances.event.none')}</EmptyState>
      ) : (
        <Timeline happenings={happenings} />
      )}
      {earlier.hasEarlier && !isGone && (
        <Button isBusy={earlier.isLoadingEarlier} onPress={earlier.loadEarlier}>
          {t('instances.event.earlier')}
        </Button>
      )}
    </>
  )
}

/** Texts for describing changes. Flavors and placements are loaded only if an entry refers to one. */
function useChangeWords(instance: Instance, entries: readonly TimelineEntry[]): ChangeWords {
  const t = useT('instance')
  const list = useT('instances')
  const format = useFormat()
  const fields = new Set(entries.flatMap(({ changes }) => changes.map(({ field }) => field)))
  const flavors = useFlavors(fields.has('flavor')).rows
  const placements = usePlacements(fields.has('traits'))
  const names = new Map([...flavors, ...placements].map(({ id, name }) => [id, name]))
  for (const [id, name] of namesOf(instance)) names.set(id, name)
  return { instance, names, t, list, format }
}

/**
 * Converts an entry for display. Entries that were still running when the instance was deleted are shown as finished.
 */
function useHappening(
  isGone: boolean,
  words: ChangeWords,
): (told: { entry: TimelineEntry; count: number }) => HistoryEntry {
  const { t, list, format } = words
  // loads the alert messages that the contract uses
  useT('alerts')

  function ofAlert(entry: TimelineEntry): HistoryEntry {
    const { id, at, name, message, finished_at } = entry
    const over =
      finished_at === null
        ? t('instances.event.alert')
        : t('instances.event.alertOver', { at: format.dateTime(finished_at) })
    return {
      ...{ id, at, tone: severityTones[entry.severity ?? 'info'], title: alertText(name as AlertType) },
      ...{ result: '', message: null, changes: [], by: <>{[message, over].filter(Boolean).join(' · ')}</> },
    }
  }

  return ({ entry, count }) => {
    if (entry.source === 'alert') return ofAlert(entry)
    const { id, at, name, message, user_name, address, finished_at } = entry
    const result = isGone && entry.result === 'running' ? 'success' : entry.result
    const known = eventName(name)
    const created = name === 'create' && result === 'success' ? createdFrom(entry, words) : undefined
    const hard = entry.changes.some(({ field, to }) => field === 'hard' && to === 'true') ? hardNames[name] : undefined
    const what = created ?? (hard ? list(hard) : known ? t(known) : name)
    const tookMs = finished_at === null ? 0 : Date.parse(finished_at) - Date.parse(at)
    const by = [
      user_name ?? t('instances.event.somebody'),
      ...(address === null ? [] : [t('instances.event.from', { address })]),
      ...(tookMs >= 1000 ? [format.duration(tookMs)] : []),
    ]
    return {
      ...{ id, at, message, changes: changesInWords(entry, words), tone: results[result].tone },
      title: count > 1 ? t('instances.event.times', { what, count }) : what,
      result: t(results[result].text),
      by: by.map((part, place) => (
        <span key={part}>
          {place > 0 && ' · '}
          <bdi>{part}</bdi>
        </span>
      )),
    }
  }
}
