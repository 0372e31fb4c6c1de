import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { Link } from '../../../nav/Link'
import { useSession } from '../../../session/session'
import { Time } from '../../../ui/values/Time'
import { snapshotPaths } from './resource'
import css from './SnapshotName.module.css'

interface SnapshotNameProps {
  snapshot: VolumeSnapshot
  /** Whether the name links to the snapshots of the volume. */
  isLink?: boolean
  tabIndex?: 0 | -1
}

/** The name of a snapshot, with its fault or its description below. */
export function SnapshotName({ snapshot, isLink = false, tabIndex = 0 }: SnapshotNameProps) {
  const { name, fault, description, volume_id: volume } = snapshot
  const note = fault ?? description
  return (
    <span className={css.lines}>
      {isLink ? (
        <Link to={snapshotPaths.tab(volume)} className={css.name} dir="auto" tabIndex={tabIndex}>
          {name}
        </Link>
      ) : (
        <bdi className={css.name}>{name}</bdi>
      )}
      {note !== '' && (
        <bdi className={classes(css.note, fault !== null && css.fault)} title={note}>
          {note}
        </bdi>
      )}
    </span>
  )
}

/** Shows when a snapshot was created, and whether the current user created it. */
export function SnapshotTime({ snapshot }: Pick<SnapshotNameProps, 'snapshot'>) {
  const t = useT('storage')
  const isOwn = useSession(({ user }) => user?.id === snapshot.user_id)
  return (
    <span className={css.lines}>
      <Time at={snapshot.created_at} />
      {isOwn && <span className={css.note}>{t('snapshots.byYou')}</span>}
    </span>
  )
}
