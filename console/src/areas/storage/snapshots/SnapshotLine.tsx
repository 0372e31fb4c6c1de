import { useEffect, useRef } from 'react'
import { snapshotInProgress, snapshotIsErrored } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { Panel } from '../../../ui/Panel'
import { volumeStatusText } from '../volumes/volume-words'
import { snapshotStatusText } from './snapshot-words'
import css from './SnapshotLine.module.css'

interface SnapshotLineProps {
  volume: Volume
  snapshots: readonly VolumeSnapshot[]
  newest: VolumeSnapshot | undefined
}

/**
 * Draws the snapshots of a volume on a line, from the oldest snapshot to the current content. Narrow screens show a
 * list instead.
 */
export function SnapshotLine({ volume, snapshots, newest }: SnapshotLineProps) {
  const t = useT('storage')
  const format = useFormat()
  const scroller = useRef<HTMLDivElement>(null)
  const ordered = snapshots.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    // the newest snapshots are at the end; in right-to-left layouts, scroll positions are negative
    const isRightToLeft = getComputedStyle(element).direction === 'rtl'
    element.scrollLeft = isRightToLeft ? -element.scrollWidth : element.scrollWidth
  }, [ordered.length])

  return (
    <Panel title={t('snapshots.line')}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <div ref={scroller} className={css.scroller} role="group" aria-label={t('snapshots.line')} tabIndex={0}>
        <ol className={css.line}>
          {ordered.map((snapshot) => (
            <li
              key={snapshot.id}
              className={classes(
                css.point,
                snapshot.id === newest?.id && css.newest,
                snapshotInProgress(snapshot) && css.busy,
                snapshotIsErrored(snapshot) && css.bad,
              )}
            >
              <bdi className={css.name} title={snapshot.name}>
                {snapshot.name}
              </bdi>
              <span className={css.mark} />
              <span className={css.note}>
                {snapshot.status === 'available'
                  ? format.dateTime(snapshot.created_at)
                  : snapshotStatusText(snapshot.status, t)}
              </span>
            </li>
          ))}
          <li className={classes(css.point, css.now)}>
            <span className={css.name}>{t('snapshots.now')}</span>
            <span className={css.mark} />
            <span className={css.note}>{volumeStatusText(volume.status, t)}</span>
          </li>
        </ol>
      </div>
      <p className={css.foot}>{t('snapshots.sameStorage')}</p>
    </Panel>
  )
}
